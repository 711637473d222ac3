package org.panamaverbs.rdmacore.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_cq_ex;
import org.panamaverbs.bindings.rdma.ibv_qp_ex;
import org.panamaverbs.bindings.rdma.pthread_mutex_t;
import org.panamaverbs.bindings.rdma.verbs_context;
import org.panamaverbs.testing.headers.HeaderAssertions;

/**
 * The layouts and constants of the bindings, held against the C headers of this machine by a compiler: that of x86_64, for which the bindings
 * were generated, and that of aarch64. The headers of rdma-core are the same files for both.
 */
class ArchitecturesTest {
    private static final String RDMA_HEADERS = """
            #include <stddef.h>
            #include <infiniband/verbs.h>
            #include <infiniband/sa.h>
            #include <rdma/rdma_cma.h>
            """;

    @BeforeAll
    static void needsLibraries() {
        String missing = Libraries.missing();
        Assumptions.assumeTrue(missing == null, missing);
        Assumptions.assumeTrue("amd64".equals(System.getProperty("os.arch")), "cc is asked for x86_64");
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/include/infiniband/verbs.h")) && Files.exists(Path.of("/usr/include/rdma/rdma_cma.h")),
                "the headers are missing: install libibverbs-dev and librdmacm-dev");
    }

    private static TreeSet<String> differences(List<String> compiler) {
        return HeaderAssertions.differences(compiler, RDMA_HEADERS, HeaderAssertions.assertions(Rdma.class));
    }

    @Test
    void shouldHaveBindingsOfTheHeadersOfX86() {
        assertEquals(Set.of(), differences(HeaderAssertions.HERE));
    }

    @Test
    void shouldKnowAllThatDiffersOnAarch64() throws IOException {
        List<String> known;
        try (InputStream file = ArchitecturesTest.class.getResourceAsStream("aarch64-differences")) {
            known = new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#")).toList();
        }
        assertEquals(String.join("\n", known), String.join("\n", differences(HeaderAssertions.AARCH64)));
    }

    /** Of the structs with a mutex that this provider looks into: as {@link Layouts} has it. */
    @Test
    void shouldFindTheFieldsBehindAMutexOnAarch64() {
        long longer = Layouts.longerMutex("aarch64");
        List<String> assertions = new ArrayList<>();
        HeaderAssertions.add(assertions, "sizeof(pthread_mutex_t)", pthread_mutex_t.sizeof() + longer);
        HeaderAssertions.add(assertions, "sizeof(struct verbs_context)", verbs_context.sizeof() + longer);
        HeaderAssertions.add(assertions, "offsetof(struct verbs_context, context)", verbs_context.context$offset());
        addBehind(assertions, ibv_context.layout(), "mutex", longer);
        addBehind(assertions, ibv_cq_ex.layout(), "mutex", longer);
        addBehind(assertions, ibv_qp_ex.layout(), "qp_base", longer);
        assertTrue(assertions.size() > 50, "there are such fields");
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.AARCH64, RDMA_HEADERS, assertions));
        assertEquals(0, Layouts.longerMutex("amd64"));
    }

    private static void addBehind(List<String> assertions, GroupLayout layout, String mutex, long longer) {
        String type = "struct " + layout.name().orElseThrow();
        long behind = layout.byteOffset(PathElement.groupElement(mutex));
        HeaderAssertions.add(assertions, "sizeof(" + type + ")", layout.byteSize() + longer);
        for (MemoryLayout member : layout.memberLayouts()) {
            String name = member.name().orElse("$");
            if (!name.contains("$")) {
                long offset = layout.byteOffset(PathElement.groupElement(name));
                HeaderAssertions.add(assertions, "offsetof(" + type + ", " + name + ")", offset + (offset > behind ? longer : 0));
            }
        }
    }

    @Test
    void shouldCautionOnProcessorsThatNothingHasRunOn() {
        assertTrue(Libraries.caution("aarch64").contains("untested on aarch64"));
        assertNull(Libraries.caution("amd64"));
    }
}
