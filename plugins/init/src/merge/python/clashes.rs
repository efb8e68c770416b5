//! Names that mean one thing to the user's code and another to the generator's.

use std::collections::BTreeMap;

use tree_sitter::Node;

use super::declarations::Forced;
use super::imports;
use super::items::{Block, Item, Kind};
use super::source::{BASE, NEW, Source, YOURS};
use crate::plan::names;

/// Returns the declarations that can't be merged by their parts for such a name.
pub(super) fn find(sources: &[Source; 3], modules: &[Block; 3]) -> Forced {
    let [base, yours, new] = modules.each_ref().map(named);
    let [of_base, imported, of_new] =
        [BASE, YOURS, NEW].map(|side| imports::bindings(&sources[side], &modules[side]));
    let mut forced = Forced::default();
    for name in of_new.difference(&of_base) {
        if !yours.contains_key(name.as_str()) || base.contains_key(name.as_str()) {
            continue;
        }
        let users = new.iter().filter(|(_, item)| {
            let text = sources[NEW].rows(&item.rows());
            names::scopes(text).is_ok_and(|names| names.all.contains(name.as_str()))
        });
        forced
            .blocked
            .extend(users.map(|(key, _)| (*key).to_owned()));
        forced.notes.insert(format!(
            "`{name}` is imported now, and you declare something of that name"
        ));
    }
    for (key, in_new) in &new {
        let Some(in_base) = base.get(key) else {
            if imported.contains(*key) {
                forced.names.insert((*key).to_owned());
                forced.notes.insert(format!(
                    "`{key}` is new, and you import something of that name"
                ));
            }
            continue;
        };
        if signature(&sources[BASE], in_base) != signature(&sources[NEW], in_new)
            && sources[YOURS].count(key) > sources[BASE].count(key)
        {
            forced.blocked.insert((*key).to_owned());
            forced.notes.insert(format!(
                "`{key}` takes other arguments now, and your code uses it"
            ));
        }
        let Some(in_yours) = yours.get(key) else {
            continue;
        };
        let texts = [(BASE, in_base), (YOURS, in_yours), (NEW, in_new)]
            .map(|(side, item)| sources[side].rows(&item.rows()));
        if let Some(name) = clash(texts) {
            forced.names.insert((*key).to_owned());
            forced.notes.insert(format!(
                "`{name}` is new in `{key}` on both sides, perhaps with another meaning"
            ));
        }
    }
    forced
}

/// A name that one side binds in a declaration, and of which the other makes use there.
fn clash(texts: [&str; 3]) -> Option<String> {
    let [base, yours, new] = texts.map(|text| names::scopes(text).ok());
    let (base, yours, new) = (base?, yours?, new?);
    let of_yours = &yours.all - &base.all;
    let of_new = &new.all - &base.all;
    let bound_by_yours = &yours.bound - &base.bound;
    let bound_by_new = &new.bound - &base.bound;
    let by_new = bound_by_new.intersection(&of_yours);
    let mut clashes = by_new.chain(bound_by_yours.intersection(&of_new));
    clashes.next().map(|name| (*name).to_owned())
}

fn named<'b, 's>(module: &'b Block<'s>) -> BTreeMap<&'b str, &'b Item<'s>> {
    let items = module.items.iter();
    let items = items.filter(|item| item.kind != Kind::Import);
    items.map(|item| (item.key.as_str(), item)).collect()
}

/// How a function is called; `None` for anything else.
fn signature(source: &Source, item: &Item) -> Option<String> {
    let node = match item.node.kind() {
        "decorated_definition" => item.node.child_by_field_name("definition")?,
        _ => item.node,
    };
    let parameters = node.child_by_field_name("parameters")?;
    let is_async = node
        .child(0)
        .is_some_and(|first: Node| first.kind() == "async");
    Some(format!("{is_async} {}", source.words(parameters)))
}
