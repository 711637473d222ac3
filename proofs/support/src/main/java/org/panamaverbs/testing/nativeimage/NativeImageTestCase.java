package org.panamaverbs.testing.nativeimage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.TestClasses;

/**
 * Compares the metadata that the jar of a module has for GraalVM's native-image with the calls of its classes. With
 * {@code -Dnative.write=true} it writes the file.
 *
 * <p>It loads the classes anew with stand-ins for the linker and for reflection, and runs each static initializer and each static method
 * that uses these. So it needs neither native libraries nor GraalVM. A call that this does not reach is a failure.
 */
public abstract class NativeImageTestCase {
    private final Path file;

    /**
     * Names the module.
     *
     * @param artifact the identifier of its artifact
     */
    protected NativeImageTestCase(String artifact) {
        file = TestClasses.module()
                .resolve("src/main/resources/META-INF/native-image/org.panamaverbs/" + artifact + "/reachability-metadata.json");
    }

    @Test
    void shouldDescribeEachCallToNativeImage() throws Exception {
        Metadata metadata = new Metadata(TestClasses.names("target/classes"));
        assertEquals(List.of(), metadata.unreached(),
                "make these calls in a static initializer, in a lambda that captures nothing or in another static method");
        if (Boolean.getBoolean("native.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, metadata.json());
        }
        assertEquals(metadata.json(), Files.readString(file), () -> file + " is not up to date: run with -Dnative.write=true");
    }
}
