//! Tests that the processes that the host starts have the user's resource limits, not those that the host sets for itself.

use std::process::Command;

use super::{bench, expect};

#[test]
fn what_the_host_starts_has_the_users_limit_and_is_its_own_master() {
    let bench = bench();
    let limit = "ulimit -c; test -r /proc/self/environ && echo readable";
    bench
        .script("plugins/bot-cli-old", &format!("#!/bin/sh\n{limit}\n"))
        .unwrap();
    let script = format!(
        "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"new\",\"about\":\"New\"}}\nread -r _\n\
         printf '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"text\":\"%s\"}}}}\\n' \"$({limit})\" | tr '\\n' ' '\necho\n"
    );
    bench.script("plugins/bot-cli-new", &script).unwrap();
    let own = Command::new("/bin/sh")
        .args(["-c", limit])
        .output()
        .unwrap();
    let own = String::from_utf8(own.stdout).unwrap();
    expect(&bench, &["old"], 0, &own, "");
    expect(
        &bench,
        &["new"],
        0,
        &format!("{}\n", own.trim().replace('\n', " ")),
        "",
    );
}
