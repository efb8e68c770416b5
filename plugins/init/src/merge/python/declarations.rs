//! Merges the items of three versions of a Python file, each by its name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::super::lines::{self, push_text};
use super::super::regions::{Changed, Region, Touching, regions};
use super::super::{Conflict, Merged, Part, Versions};
use super::alignment::{
    are_alike, behind_imports, have_free_order, have_one_indent, hunks, named, rows_of,
};
use super::imports::ImportEdits;
use super::items::{self, Block, Compound, CompoundKind, Item, Kind, Order};
use super::source::{BASE, NEW, Source, YOURS};

/// The names for which the ordinary rules are not enough.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Forced {
    /// They are a conflict where they are removed, and declarations of the module where both sides have changed them.
    pub names: BTreeSet<String>,
    /// Declarations of the module that are a conflict as soon as the generator has changed them.
    pub blocked: BTreeSet<String>,
    /// The reasons.
    pub notes: BTreeSet<String>,
}

/// A merge of a module in the making.
pub(super) struct Merge<'s> {
    pub sources: &'s [Source<'s>; 3],
    pub forced: &'s Forced,
    pub imports: &'s ImportEdits,
    parts: Vec<Part>,
    notes: Vec<String>,
    /// The names of the declarations around.
    path: Vec<String>,
}

impl<'s> Merge<'s> {
    pub fn new(sources: &'s [Source<'s>; 3], forced: &'s Forced, imports: &'s ImportEdits) -> Self {
        Self {
            sources,
            forced,
            imports,
            parts: Vec::new(),
            notes: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Merges modules; `None` if their declarations can't be told apart.
    pub fn module(mut self, modules: &[Block; 3]) -> Option<Merged> {
        let modules = modules.each_ref();
        if !are_alike(modules, Order::Free) {
            return None;
        }
        self.by_name(modules);
        self.three(&modules.map(|module| module.tail.clone()));
        Some(Merged {
            parts: self.parts,
            notes: self.notes,
        })
    }

    /// Merges items of which the order is free: the user's stay where they are, new ones follow those that they follow in the new version.
    fn by_name(&mut self, [base, yours, new]: [&Block; 3]) {
        let is_import = |item: &&Item| item.kind == Kind::Import;
        let of_base = named(base);
        let of_new = named(new);
        // What only the new version has, by what it follows; what the user has deleted.
        let mut inserted: BTreeMap<Option<usize>, Vec<&Item>> = BTreeMap::new();
        let places: HashMap<&str, usize> = yours
            .items
            .iter()
            .zip(0..)
            .map(|(item, at)| (item.key.as_str(), at))
            .collect();
        let mut follows: Option<usize> = None;
        let mut above: HashSet<&str> = HashSet::new();
        for item in new.items.iter().filter(|item| !is_import(item)) {
            let key = item.key.as_str();
            if let Some(place) = places.get(key) {
                follows = Some(*place);
            } else if of_base
                .get(key)
                .is_none_or(|base| self.is_missed(base, item))
            {
                // The user may have moved what it uses further down.
                let uses = self.sources[NEW].tokens(&item.rows());
                let uses = uses.filter(|name| above.contains(name));
                let uses = uses.filter_map(|name| places.get(name).copied());
                let after = uses.chain(follows).max();
                inserted.entry(after).or_default().push(item);
            }
            above.insert(key);
        }
        let start = if self.path.is_empty() {
            behind_imports(yours, &of_new)
        } else {
            0
        };
        for number in 0..=yours.items.len() {
            if number == start {
                if self.path.is_empty() {
                    push_text(&mut self.parts, &self.imports.at_start);
                }
                self.insert(inserted.get(&None), &of_base, yours, number);
            }
            let Some(item) = yours.items.get(number) else {
                continue;
            };
            if item.kind == Kind::Import {
                self.import(number, item);
                continue;
            }
            let key = item.key.as_str();
            match (of_base.get(key), of_new.get(key)) {
                (Some(base), Some(new)) => self.item([base, item, new]),
                (Some(base), None) => self.removed(base, item),
                (None, Some(new)) => self.added_by_both(item, new),
                (None, None) => self.text(YOURS, &item.rows()),
            }
            self.insert(inserted.get(&Some(number)), &of_base, yours, number + 1);
        }
    }

    /// Whether the user has deleted this although the generator has changed it and something refers to it.
    fn is_missed(&self, base: &Item, new: &Item) -> bool {
        let is_changed = !self.is_same((BASE, &base.rows()), (NEW, &new.rows()));
        let is_definition =
            self.path.is_empty() && !matches!(new.kind, Kind::Other) || new.kind == Kind::Function;
        let is_used = self.sources[YOURS].refers_to(&new.key, &(0..0))
            || self.sources[NEW].refers_to(&new.key, &new.rows());
        self.is_forced(new) || is_changed && (!is_definition || is_used)
    }

    /// Adds items of the new version before an item of the user's.
    fn insert(
        &mut self,
        items: Option<&Vec<&Item>>,
        of_base: &HashMap<&str, &Item>,
        yours: &Block,
        before: usize,
    ) {
        let row = yours
            .items
            .get(before)
            .map_or(yours.tail.start, |item| item.lead.start);
        for item in items.into_iter().flatten() {
            let base = of_base.get(item.key.as_str());
            if base.is_some() || self.is_forced(item) {
                let base = base.map_or(0..0, |base| base.rows());
                self.named_conflict(&item.key, &[base, row..row, item.rows()]);
            } else {
                self.text(NEW, &item.rows());
            }
        }
    }

    fn is_forced(&self, item: &Item) -> bool {
        let names = &self.forced.names;
        // One statement may define several: `user_aggregator, assistant_aggregator`.
        let defines = || item.key.split([',', ' ']).any(|name| names.contains(name));
        names.contains(&item.key) || item.kind != Kind::Other && defines()
    }

    fn import(&mut self, number: usize, item: &Item) {
        let imports = self.imports;
        match imports.items.get(&number) {
            Some(parts) => self.push(parts.clone()),
            None => self.text(YOURS, &item.rows()),
        }
    }

    /// Merges an item that the new version doesn't have any more.
    fn removed(&mut self, base: &Item, yours: &Item) {
        if self.is_forced(yours) || !self.is_same((BASE, &base.rows()), (YOURS, &yours.rows())) {
            self.named_conflict(&yours.key, &[base.rows(), yours.rows(), 0..0]);
        }
    }

    fn added_by_both(&mut self, yours: &Item, new: &Item) {
        if self.is_same((YOURS, &yours.rows()), (NEW, &new.rows())) {
            self.text(YOURS, &yours.rows());
        } else {
            self.named_conflict(&yours.key, &[0..0, yours.rows(), new.rows()]);
        }
    }

    /// Merges an item that all versions have.
    fn item(&mut self, items: [&Item; 3]) {
        let key = &items[YOURS].key;
        let rows = items.map(Item::rows);
        let decided = self.decided(&rows);
        if self.path.is_empty()
            && (decided.is_none() && self.is_forced(items[YOURS])
                || decided == Some(NEW) && self.forced.blocked.contains(key))
        {
            return self.named_conflict(key, &rows);
        }
        let has_name = items[YOURS].kind != Kind::Other;
        if has_name {
            self.path.push(key.trim_matches(['"', '\'']).to_owned());
        }
        self.three(&items.map(|item| item.lead.clone()));
        self.core(items);
        if has_name {
            self.path.pop();
        }
    }

    fn core(&mut self, items: [&Item; 3]) {
        let rows = items.map(|item| item.core.clone());
        let decided = self.decided(&rows);
        let texts = [BASE, YOURS].map(|side| self.sources[side].rows(&rows[side]));
        let is_reformatted = decided == Some(NEW) && texts[BASE] != texts[YOURS];
        if let Some(side) = decided
            && !is_reformatted
        {
            return self.text(side, &rows[side]);
        }
        let [base, yours, new] =
            [BASE, YOURS, NEW].map(|side| items::compound(&self.sources[side], items[side]));
        if let (Some(base), Some(yours), Some(new)) = (base, yours, new) {
            let compounds = [&base, &yours, &new];
            if self.may_split(compounds) {
                return self.compound(compounds);
            }
            if is_reformatted {
                if yours.kind == CompoundKind::Body {
                    let name = self.declaration(None).unwrap_or_default();
                    self.notes
                        .push(format!("`{name}` is formatted as it is generated"));
                }
                return self.text(NEW, &rows[NEW]);
            }
            if let CompoundKind::Container { .. } = yours.kind {
                return self.conflict(&rows);
            }
        }
        if is_reformatted {
            self.text(NEW, &rows[NEW]);
        } else {
            self.lines(&rows);
        }
    }

    /// Whether the parts of these can be merged each by itself.
    fn may_split(&self, compounds: [&Compound; 3]) -> bool {
        let [base, yours, new] = compounds;
        let order = if compounds.iter().all(|it| it.order == Order::Free) {
            Order::Free
        } else {
            Order::Matters
        };
        let blocks = compounds.map(|it| &it.block);
        if !are_alike(blocks, order) || !have_one_indent(blocks) {
            return false;
        }
        match (base.kind, yours.kind, new.kind) {
            (CompoundKind::Body, CompoundKind::Body, CompoundKind::Body) => true,
            (
                CompoundKind::Container {
                    all_end_with_comma: base_ends,
                },
                CompoundKind::Container {
                    all_end_with_comma: yours_ends,
                },
                CompoundKind::Container {
                    all_end_with_comma: new_ends,
                },
            ) => {
                // Arguments are those of what is called: another class may not take them.
                let same = |part: fn(&Compound) -> Range<usize>| {
                    let rows = compounds.map(part);
                    self.is_same((BASE, &rows[BASE]), (YOURS, &rows[YOURS]))
                        && self.is_same((BASE, &rows[BASE]), (NEW, &rows[NEW]))
                };
                let keys = blocks
                    .map(|block| block.items.iter().map(|item| &item.key).collect::<Vec<_>>());
                let have_same_keys = keys[BASE] == keys[YOURS] && keys[BASE] == keys[NEW];
                same(|it| it.head.clone())
                    && same(|it| it.foot.clone())
                    && (have_same_keys || base_ends && yours_ends && new_ends)
            }
            _ => false,
        }
    }

    fn compound(&mut self, compounds: [&Compound; 3]) {
        let blocks = compounds.map(|it| &it.block);
        self.three(&compounds.map(|it| it.head.clone()));
        if compounds.iter().all(|it| it.order == Order::Free) {
            self.by_name(blocks);
        } else {
            self.in_order(blocks);
        }
        self.three(&blocks.map(|block| block.tail.clone()));
        self.three(&compounds.map(|it| it.foot.clone()));
    }

    /// Merges items of which the order matters.
    fn in_order(&mut self, blocks: [&Block; 3]) {
        let [yours, new] = [YOURS, NEW].map(|side| hunks(blocks[BASE], blocks[side]));
        for region in regions(blocks[BASE].items.len(), &yours, &new, Touching::Two) {
            let Region {
                changed,
                base,
                yours,
                new,
            } = region;
            let ranges = [base, yours, new];
            let items = [BASE, YOURS, NEW].map(|side| {
                blocks[side]
                    .items
                    .get(ranges[side].clone())
                    .unwrap_or_default()
            });
            let rows = [BASE, YOURS, NEW].map(|side| rows_of(blocks[side], &ranges[side]));
            match changed {
                Changed::Neither => {
                    for ((base, yours), new) in items[BASE].iter().zip(items[YOURS]).zip(items[NEW])
                    {
                        self.item([base, yours, new]);
                    }
                }
                // What one side has taken away the other must not have changed.
                Changed::Yours => {
                    let is_missed = |(base, new): (&Item, &Item)| self.is_missed(base, new);
                    if items[BASE].iter().zip(items[NEW]).any(is_missed) {
                        self.conflict_of(items[BASE], &rows);
                    } else {
                        self.text(YOURS, &rows[YOURS]);
                    }
                }
                Changed::New
                    if self.is_same((BASE, &rows[BASE]), (YOURS, &rows[YOURS]))
                        && !items[BASE].iter().any(|item| self.is_forced(item)) =>
                {
                    self.text(NEW, &rows[NEW]);
                }
                Changed::Both if self.is_same((YOURS, &rows[YOURS]), (NEW, &rows[NEW])) => {
                    self.text(YOURS, &rows[YOURS]);
                }
                Changed::Both
                    if items[BASE].is_empty() && have_free_order(items[YOURS], items[NEW]) =>
                {
                    self.text(NEW, &rows[NEW]);
                    self.text(YOURS, &rows[YOURS]);
                }
                Changed::New | Changed::Both => self.conflict_of(items[BASE], &rows),
            }
        }
    }

    /// Merges rows without a structure.
    fn three(&mut self, rows: &[Range<usize>; 3]) {
        match self.decided(rows) {
            Some(side) => self.text(side, &rows[side]),
            None => self.lines(rows),
        }
    }

    /// The side that has what the merge of these rows is, if only one has changed them.
    fn decided(&self, rows: &[Range<usize>; 3]) -> Option<usize> {
        let texts = [BASE, YOURS, NEW].map(|side| self.sources[side].rows(&rows[side]));
        if texts[YOURS] == texts[BASE] {
            return Some(NEW);
        }
        if texts[NEW] == texts[BASE] {
            return Some(YOURS);
        }
        let same =
            |one: usize, other: usize| self.is_same((one, &rows[one]), (other, &rows[other]));
        if same(NEW, BASE) || same(YOURS, NEW) {
            Some(YOURS)
        } else if same(YOURS, BASE) {
            Some(NEW)
        } else {
            None
        }
    }

    fn is_same(&self, one: (usize, &Range<usize>), other: (usize, &Range<usize>)) -> bool {
        let [one, other] = [one, other].map(|(side, rows)| self.sources[side].tokens(rows));
        one.eq(other)
    }

    fn text(&mut self, side: usize, rows: &Range<usize>) {
        push_text(&mut self.parts, self.sources[side].rows(rows));
    }

    fn lines(&mut self, rows: &[Range<usize>; 3]) {
        let [base, yours, new] =
            [BASE, YOURS, NEW].map(|side| self.sources[side].rows(&rows[side]));
        let versions = Versions { base, yours, new };
        let declaration = self.declaration(None);
        let line = rows[YOURS].start + 1;
        let parts = lines::parts(&versions, declaration.as_deref(), line);
        let is_docstring = self.path.last().is_some_and(|name| name == "docstring");
        if is_docstring && parts.iter().any(|part| matches!(part, Part::Conflict(_))) {
            let of = self.path.iter().rev().nth(1);
            let of = of.map_or("the module".to_owned(), |name| format!("`{name}`"));
            self.notes.push(format!(
                "the docstring of {of} is yours, without what is new in it"
            ));
            return self.text(YOURS, &rows[YOURS]);
        }
        self.push(parts);
    }

    fn push(&mut self, parts: Vec<Part>) {
        for part in parts {
            match part {
                Part::Text(text) => push_text(&mut self.parts, &text),
                Part::Conflict(_) => self.parts.push(part),
            }
        }
    }

    fn conflict(&mut self, rows: &[Range<usize>; 3]) {
        let declaration = self.declaration(None);
        self.push_conflict(declaration, rows);
    }

    /// Adds a conflict over items of the base.
    fn conflict_of(&mut self, base: &[Item], rows: &[Range<usize>; 3]) {
        match base {
            [item] if item.kind != Kind::Other => self.named_conflict(&item.key, rows),
            _ => self.conflict(rows),
        }
    }

    fn named_conflict(&mut self, key: &str, rows: &[Range<usize>; 3]) {
        let declaration = self.declaration(Some(key));
        self.push_conflict(declaration, rows);
    }

    fn push_conflict(&mut self, declaration: Option<String>, rows: &[Range<usize>; 3]) {
        let [base, yours, new] =
            [BASE, YOURS, NEW].map(|side| self.sources[side].rows(&rows[side]).to_owned());
        self.parts.push(Part::Conflict(Conflict {
            declaration,
            line: rows[YOURS].start + 1,
            base,
            yours,
            new,
        }));
    }

    fn declaration(&self, key: Option<&str>) -> Option<String> {
        let names = self.path.iter().map(String::as_str);
        let names: Vec<&str> = names
            .chain(key.map(|key| key.trim_matches(['"', '\''])))
            .collect();
        (!names.is_empty()).then(|| names.join("."))
    }
}
