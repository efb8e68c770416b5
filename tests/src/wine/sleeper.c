#include <stdio.h>
#include <windows.h>
int main(void) {
    fputs("asleep\n", stderr);
    fflush(stderr);
    Sleep(60000);
    fputs("awake\n", stderr);
    return 0;
}
