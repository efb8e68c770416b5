#include <stdio.h>
#include <string.h>
const char *volatile manifest =
    "bot-cli-plugin: {\"protocol\":\"1.0\",\"name\":\"greet\",\"version\":\"" VERSION "\",\"about\":\"Greet\"}";
int main(void) {
    static char line[65536];
    while (manifest && fgets(line, sizeof line, stdin)) {
        char *id = strstr(line, "\"id\":");
        if (!id) continue;
        id += 5;
        printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"text\":\"hello from " VERSION "\\n\"}}\n",
               (int)strcspn(id, ",}"), id);
        fflush(stdout);
    }
    return 0;
}
