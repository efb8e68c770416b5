//! The order of declarations: a module runs from top to bottom, the bodies of its functions later.

use std::collections::{BTreeSet, HashMap};

use super::items::{self, Block, Item, Kind};
use super::source::{NEW, Source, YOURS};

/// Returns declarations that use a name above its definition, with that name, if they do so only since they were merged.
pub(super) fn misplaced(text: &str, sources: &[Source; 3]) -> Option<BTreeSet<(String, String)>> {
    let mut misplaced = in_module(&Source::parse(text)?)?;
    for side in [YOURS, NEW] {
        for pair in in_module(&sources[side])? {
            misplaced.remove(&pair);
        }
    }
    Some(misplaced)
}

fn in_module(source: &Source) -> Option<BTreeSet<(String, String)>> {
    let module = items::module(source)?;
    let places = definitions(&module);
    let mut misplaced = BTreeSet::new();
    for (at, item) in module.items.iter().enumerate() {
        for name in at_once(source, item) {
            if places.get(name).is_some_and(|place| *place > at) {
                misplaced.insert((item.key.clone(), name.to_owned()));
            }
        }
    }
    Some(misplaced)
}

/// The places of the first definitions.
fn definitions<'b>(module: &'b Block) -> HashMap<&'b str, usize> {
    let mut places = HashMap::new();
    for (at, item) in module.items.iter().enumerate() {
        if matches!(item.kind, Kind::Function | Kind::Named) {
            for name in item.key.split([',', ' ']) {
                places.entry(name).or_insert(at);
            }
        }
    }
    places
}

/// The names that an item uses as soon as the module runs.
fn at_once<'s>(source: &'s Source, item: &Item) -> Vec<&'s str> {
    let is_function = item.kind == Kind::Function;
    let is_class = item.node.kind() == "class_definition";
    match items::compound(source, item) {
        Some(compound) if is_function => source.tokens(&compound.head).collect(),
        Some(compound) if is_class => {
            let members = compound.block.items.iter();
            let members = members.flat_map(|member| at_once(source, member));
            source.tokens(&compound.head).chain(members).collect()
        }
        _ => source.tokens(&item.core).collect(),
    }
}
