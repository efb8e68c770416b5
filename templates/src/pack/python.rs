//! The names that generated code has for itself.

/// Names with spaces between them.
#[derive(Debug, Clone, Copy)]
pub struct Names(&'static str);

impl Names {
    /// Whether `name` is one of them.
    #[must_use]
    pub fn contains(self, name: &str) -> bool {
        self.0.split(' ').any(|known| known == name)
    }
}

/// The words that are no identifiers.
pub const KEYWORDS: Names = Names(
    "\
    False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda \
    nonlocal not or pass raise return try while with yield",
);

/// The modules that a service can't be imported from: the files of the project itself, and what has no names to import.
pub const OWN_MODULES: Names = Names(
    "\
    __future__ __main__ bot judge noise recording server services settings sockets tools transcript typed watch",
);

/// Whether a top-level module is one of Python's own library, written in lower case there.
#[must_use]
pub fn is_standard_module(name: &str) -> bool {
    STANDARD_MODULES.contains(name)
}

/// The modules of Python's standard library, of every version that a project can have, in lower case.
pub const STANDARD_MODULES: Names = Names(
    "\
    abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 \
    calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars \
    copy copyreg cprofile crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading email encodings \
    ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass gettext glob \
    graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache \
    locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath \
    nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix \
    posixpath pprint profile profiling pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource \
    rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile \
    sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile \
    telnetlib tempfile termios test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo \
    types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile \
    zipimport zlib zoneinfo",
);

/// The names that Python code has without importing them.
pub const BUILTINS: Names = Names(
    "\
    ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning \
    ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis \
    EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit \
    IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError \
    MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError \
    PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning \
    StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError \
    UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError abs \
    aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir \
    divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter \
    len license list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice \
    sorted staticmethod str sum super tuple type vars zip",
);

/// The names that `services.py` has beside those of its services; no service can import them, nor those of Python itself.
pub const RESERVED: Names = Names(
    "\
    Literal NOT_GIVEN NotGiven aiohttp converted create_llm create_stt create_tts create_video one_of one_required os required session split \
    system_prompt",
);

/// The variables that a pack can't ask for: they change what runs, or how, far beyond a service. So does every other without
/// an underscore.
pub const RESERVED_VARIABLES: Names = Names(
    "\
    NOT_GIVEN BASH_ENV GIT_SSH_COMMAND HTTPS_PROXY HTTP_PROXY NO_PROXY ALL_PROXY LC_ALL NODE_OPTIONS",
);

/// The beginnings of more of them.
pub const RESERVED_PREFIXES: &[&str] = &[
    "BOT_CLI_",
    "CURL_",
    "DYLD_",
    "GIT_",
    "LC_",
    "LD_",
    "NODE_",
    "NPM_",
    "PIPECAT_",
    "PIP_",
    "PYTHON",
    "REQUESTS_",
    "SSL_",
    "UV_",
    "XDG_",
];
