package org.panamaverbs.rdmacore.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.headers.HeaderAssertions;

/** The one struct that is written by hand, held against the header of libefa by the compilers of both processors. */
@SuppressWarnings("restricted") // the library is looked for
class EfaCallsTest {
    private static final String HEADER = """
            #include <stddef.h>
            #include <infiniband/efadv.h>
            """;

    @Test
    void shouldHaveTheLayoutOfTheHeader() {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/include/infiniband/efadv.h")), "the header is missing: install libibverbs-dev");
        List<String> assertions = new ArrayList<>();
        for (String field : List.of("comp_mask", "driver_qp_type")) {
            HeaderAssertions.add(assertions, "offsetof(struct efadv_qp_init_attr, " + field + ")",
                    EfaCalls.QP_INIT_ATTR.byteOffset(PathElement.groupElement(field)));
            HeaderAssertions.add(assertions, "sizeof(((struct efadv_qp_init_attr *) 0)->" + field + ")",
                    EfaCalls.QP_INIT_ATTR.select(PathElement.groupElement(field)).byteSize());
        }
        // A later one is longer.
        HeaderAssertions.add(assertions, "(sizeof(struct efadv_qp_init_attr) >= " + EfaCalls.QP_INIT_ATTR.byteSize() + ")", 1);
        HeaderAssertions.add(assertions, "EFADV_QP_DRIVER_TYPE_SRD", EfaCalls.SRD);
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.HERE, HEADER, assertions));
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.AARCH64, HEADER, assertions));
        // The comparison sees a difference.
        HeaderAssertions.add(assertions, "offsetof(struct efadv_qp_init_attr, driver_qp_type)", 4);
        assertEquals(1, HeaderAssertions.differences(HeaderAssertions.HERE, HEADER, assertions).size());
    }

    @Test
    void shouldFindTheCallInTheLibraryOfThisMachine() {
        try {
            SymbolLookup.libraryLookup("libefa.so.1", Arena.global());
        } catch (IllegalArgumentException missing) {
            Assumptions.abort("libefa is missing: install ibverbs-providers");
        }
        assertTrue(EfaCalls.isPresent());
    }
}
