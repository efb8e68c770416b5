//! The embedded database of earlier versions: redb, file format 3, read from memory.
//!
//! The redb library panics at some damaged files even after its integrity check, and writes when it opens one after an
//! unclean end. This reader does neither: every offset is checked, and every page's checksum before the page is used. The
//! format is documented in redb's `docs/design.md`.

use std::collections::BTreeMap;

use twox_hash::XxHash3_128;

/// The first bytes of every file.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// The file format that is read.
const VERSION: u8 = 3;

/// More levels than any real tree has.
const DEEPEST: u32 = 64;

/// The bytes of a commit slot that its checksum covers; the checksum follows.
const SLOT: usize = 112;

/// Why a database can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It has another file format.
    Version,
    /// It is damaged.
    Damaged(&'static str),
}

/// The rows of a table, by key.
pub type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Returns every table by its name, as of the last commit that is whole.
pub fn tables(bytes: &[u8]) -> Result<BTreeMap<Vec<u8>, Rows>, Unreadable> {
    let header = Header::parse(bytes)?;
    let mut problem = Unreadable::Damaged("no commit is whole");
    for (attempt, root) in header.commits()?.into_iter().enumerate() {
        let mut pages = Pages::new(bytes, &header);
        match pages.all_tables(root) {
            Ok(tables) => return Ok(tables),
            Err(found) if attempt == 0 => problem = found,
            Err(_) => {}
        }
    }
    Err(problem)
}

/// The fixed part of the file.
struct Header<'a> {
    page_size: u64,
    region_header_pages: u64,
    region_pages: u64,
    primary: usize,
    unclean: bool,
    two_phase: bool,
    slots: [&'a [u8]; 2],
}

impl<'a> Header<'a> {
    fn parse(bytes: &'a [u8]) -> Result<Self, Unreadable> {
        if !bytes.starts_with(MAGIC) {
            return Err(Unreadable::Damaged("it is not a store"));
        }
        let cut = Unreadable::Damaged("it is cut off");
        let part = |from: usize| bytes.get(from..from + 128).ok_or(cut.clone());
        let flags = *bytes.get(MAGIC.len()).ok_or(cut.clone())?;
        let number = |at| number(bytes, at).map(u64::from);
        let header = Self {
            page_size: number(12)?,
            region_header_pages: number(16)?,
            region_pages: number(20)?,
            primary: usize::from(flags & 1),
            unclean: flags & 2 != 0,
            two_phase: flags & 4 != 0,
            slots: [part(64)?, part(192)?],
        };
        if header.page_size == 4096
            && header.region_header_pages <= 1 << 20
            && (1..=1 << 20).contains(&header.region_pages)
        {
            Ok(header)
        } else {
            Err(Unreadable::Damaged("its header is impossible"))
        }
    }

    /// The roots of the commits to try, newest first. Only after an unclean end the newest one may be half-written; then the
    /// one before it counts. Unlike redb, this does not look at the library's own tables: a commit counts whose rows are
    /// whole, even if the process ended before it had written the rest.
    fn commits(&self) -> Result<Vec<Option<Root>>, Unreadable> {
        let damaged = Unreadable::Damaged("a commit slot has a wrong checksum");
        let whole = self.slots.map(|slot| {
            slot.get(..SLOT).map(XxHash3_128::oneshot) == slot.get(SLOT..).and_then(wide)
        });
        let usable: &[usize] = match (self.two_phase, self.unclean, whole) {
            (_, _, [true, true]) if !self.two_phase => &[0, 1],
            (true, _, _) if whole[self.primary] => &[self.primary],
            (false, true, [true, false]) => &[0],
            (false, true, [false, true]) => &[1],
            _ => return Err(damaged),
        };
        let mut commits = Vec::new();
        for slot in usable.iter().map(|&slot| self.slots[slot]) {
            if slot.first() != Some(&VERSION) {
                return Err(Unreadable::Version);
            }
            let root = match slot.get(1) {
                Some(0) => None,
                _ => Some(Root::parse(slot, 8)?),
            };
            commits.push((long(slot, 104)?, root));
        }
        commits.sort_by_key(|(transaction, _)| std::cmp::Reverse(*transaction));
        if !self.unclean {
            commits.truncate(1);
        }
        Ok(commits.into_iter().map(|(_, root)| root).collect())
    }
}

/// The root of a tree.
#[derive(Clone, Copy)]
struct Root {
    page: u64,
    checksum: u128,
    rows: u64,
}

impl Root {
    fn parse(bytes: &[u8], at: usize) -> Result<Self, Unreadable> {
        Ok(Self {
            page: long(bytes, at)?,
            checksum: bytes
                .get(at + 8..at + 24)
                .and_then(wide)
                .ok_or(Unreadable::Damaged("it is cut off"))?,
            rows: long(bytes, at + 24)?,
        })
    }
}

/// The pages of the file.
struct Pages<'a> {
    bytes: &'a [u8],
    page_size: u64,
    region_start: u64,
    region_size: u64,
    /// The number of pages that may still be read: a tree has no page twice.
    left: u64,
}

impl<'a> Pages<'a> {
    fn new(bytes: &'a [u8], header: &Header<'_>) -> Self {
        let region_start = header.region_header_pages * header.page_size;
        Self {
            bytes,
            page_size: header.page_size,
            region_start,
            region_size: region_start + header.region_pages * header.page_size,
            left: bytes.len() as u64 / header.page_size,
        }
    }

    fn all_tables(&mut self, root: Option<Root>) -> Result<BTreeMap<Vec<u8>, Rows>, Unreadable> {
        let mut tables = BTreeMap::new();
        for (name, definition) in self.rows(root)? {
            // The kind of a plain table, its length, and the root if there is one.
            let root = match (definition.first(), definition.get(9)) {
                (Some(3), Some(0)) => None,
                (Some(3), Some(1)) => Some(Root::parse(&definition, 10)?),
                _ => return Err(Unreadable::Damaged("a table is of an unknown kind")),
            };
            let rows = self.rows(root)?;
            if rows.len() as u64 != long(&definition, 1)? {
                return Err(Unreadable::Damaged("a table has lost rows"));
            }
            tables.insert(name, rows);
        }
        Ok(tables)
    }

    fn rows(&mut self, root: Option<Root>) -> Result<Rows, Unreadable> {
        let mut rows = Rows::new();
        if let Some(root) = root {
            self.walk(root.page, root.checksum, 0, &mut rows)?;
            if rows.len() as u64 != root.rows {
                return Err(Unreadable::Damaged("a table has lost rows"));
            }
        }
        Ok(rows)
    }

    fn walk(
        &mut self,
        page: u64,
        checksum: u128,
        depth: u32,
        rows: &mut Rows,
    ) -> Result<(), Unreadable> {
        let wrong = Unreadable::Damaged("a page has a wrong checksum");
        self.left = self.left.checked_sub(1).ok_or(wrong.clone())?;
        let page = self.page(page).ok_or(wrong.clone())?;
        let count = usize::from(page[2]) | usize::from(page[3]) << 8;
        let last = count.checked_sub(1).ok_or(wrong.clone())?;
        // The offset of the end of the page's content is the last one in its list of offsets.
        let (is_leaf, ends) = match page[0] {
            1 => (true, 4 + 4 * count),
            2 => (false, 8 + 24 * (count + 1)),
            _ => return Err(wrong),
        };
        let end = number(page, ends + 4 * last)? as usize;
        let content = page.get(..end).ok_or(wrong.clone())?;
        if XxHash3_128::oneshot(content) != checksum {
            return Err(wrong);
        }
        if is_leaf {
            return leaf(content, count, rows);
        }
        if depth == DEEPEST {
            return Err(Unreadable::Damaged("a tree is too deep"));
        }
        for child in 0..=count {
            let at = 8 + 16 * child;
            let checksum = content.get(at..at + 16).and_then(wide);
            let page = long(content, 8 + 16 * (count + 1) + 8 * child)?;
            self.walk(page, checksum.ok_or(wrong.clone())?, depth + 1, rows)?;
        }
        Ok(())
    }

    /// A page by its number: 20 bits of index, 20 bits of region, and 5 bits on top of the power of two of its size.
    fn page(&self, number: u64) -> Option<&'a [u8]> {
        let order = number >> 59;
        let index = number & (0xf_ffff >> order);
        let region = (number >> 20) & 0xf_ffff;
        let size = self.page_size << order;
        let start = self.page_size + region * self.region_size + self.region_start + index * size;
        let start = usize::try_from(start).ok()?;
        let end = start.checked_add(usize::try_from(size).ok()?)?;
        self.bytes.get(start..end)
    }
}

/// The keys of a leaf lie one after the other, and then its values; the offsets of their ends come first.
fn leaf(page: &[u8], count: usize, rows: &mut Rows) -> Result<(), Unreadable> {
    let wrong = Unreadable::Damaged("a page is out of order");
    let mut key_start = 4 + 8 * count;
    let mut value_start = number(page, 4 + 4 * (count - 1))? as usize;
    for index in 0..count {
        let key_end = number(page, 4 + 4 * index)? as usize;
        let value_end = number(page, 4 + 4 * (count + index))? as usize;
        let key = page.get(key_start..key_end).ok_or(wrong.clone())?;
        let value = page.get(value_start..value_end).ok_or(wrong.clone())?;
        if rows.insert(key.to_vec(), value.to_vec()).is_some() {
            return Err(wrong);
        }
        (key_start, value_start) = (key_end, value_end);
    }
    Ok(())
}

fn number(bytes: &[u8], at: usize) -> Result<u32, Unreadable> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    found
        .map(|bytes| u32::from_le_bytes(*bytes))
        .ok_or(Unreadable::Damaged("it is cut off"))
}

fn long(bytes: &[u8], at: usize) -> Result<u64, Unreadable> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk);
    found
        .map(|bytes| u64::from_le_bytes(*bytes))
        .ok_or(Unreadable::Damaged("it is cut off"))
}

fn wide(bytes: &[u8]) -> Option<u128> {
    bytes.first_chunk().map(|bytes| u128::from_le_bytes(*bytes))
}
