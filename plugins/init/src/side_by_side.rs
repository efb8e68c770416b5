//! Work on many items, on all cores.

use std::num::NonZero;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The most threads that a list of files is worth, beside the one that asks.
const THREADS: usize = 3;

/// Does `work` on each item and returns what came of it, in the order of the items. Without a further thread, this one does it all.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work_off = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return done;
            };
            done.push((index, work(item)));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let others = THREADS.min(cores - 1).min(items.len().saturating_sub(1));
    let mut done = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, work_off).ok();
        let others: Vec<_> = (0..others).map_while(start).collect();
        let mut done = work_off();
        for other in others {
            done.extend(
                other
                    .join()
                    .unwrap_or_else(|panic| panic::resume_unwind(panic)),
            );
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_order_is_that_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let squares = super::map(&items, |item| item * item);
        assert!(
            squares
                .iter()
                .enumerate()
                .all(|(index, square)| *square == index * index)
        );
        assert_eq!(squares.len(), items.len());
        assert!(super::map(&[] as &[u8], |item| *item).is_empty());
    }
}
