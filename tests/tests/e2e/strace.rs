//! What a change or a listing asks of the system, watched and made to fail call by call.

use std::fs;
use std::process::Command;

use bot_cli_tests::user::User;

#[test]
fn a_listing_makes_no_system_call_that_writes_or_syncs() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let plain = user.command(&["secrets", "list"]);
    let calls = "trace=fsync,fdatasync,sync,syncfs,sync_file_range,msync,flock,openat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,ftruncate,pwrite64,link,linkat,fallocate";
    let mut watched = Command::new("strace");
    watched
        .args(["-f", "-o", "trace", "-e", calls])
        .arg(plain.get_program())
        .args(plain.get_args())
        .current_dir(user.work())
        .env_clear()
        .envs(user.variables());
    let output = watched.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let trace = fs::read_to_string(user.work().join("trace")).unwrap();
    assert!(trace.contains("vault.sealed"), "{trace}");
    let writes = trace.lines().filter(|line| {
        let is_open = line.contains(" openat(");
        let is_read =
            line.contains("O_RDONLY") || line.contains("/dev/") || line.contains("ENOENT");
        let is_end = line.contains("+++") || line.contains("---") || line.contains("resumed>");
        !(is_end || is_open && is_read)
    });
    assert_eq!(writes.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn a_system_call_of_a_change_of_the_vault_may_fail_or_be_the_last() {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/e2e/strace/vault_faults.py"
    );
    let output = Command::new("python3")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_it-bot-cli-cloud"))
        // One fault of so many: all of them take a quarter of an hour.
        .arg("19")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}{problem}");
}
