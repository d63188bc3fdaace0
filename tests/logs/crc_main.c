/* Checksums of buffers on standard input, by _crc.h, one line each: what test_aarch64.py runs for another processor.

   A buffer comes as two numbers of four bytes, length and chunk size, then its content, all little endian. A line has
   the checksum, the masked one, that of the long form, and those of the chunks. */

#include <stdio.h>
#include <stdlib.h>

#include "_crc.h"

int main(void) {
    uint8_t head[8];
    mi_crc_prepare();
    printf("%d\n", mi_crc_is_fast);
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        uint32_t size = mi_load32(head), chunk = mi_load32(head + 4), count = (size + chunk - 1) / chunk;
        uint8_t *data = malloc(size + 1);
        uint32_t *checksums = malloc((count + 1) * sizeof *checksums);
        if (!data || !checksums || fread(data, 1, size, stdin) != size) return 1;
        mi_crc_chunks(data, size, chunk, checksums);
        printf("%08x %08x %08x", mi_crc(0, data, size), mi_masked_crc(data, size), mi_crc_long(0, data, size));
        for (uint32_t k = 0; k < count; k++) printf(" %08x", checksums[k]);
        printf("\n");
        free(data);
        free(checksums);
    }
    return 0;
}
