package org.panamaverbs.testing.nativeimage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@SuppressWarnings({ "restricted", "unused" }) // nothing is called
class MetadataTest {
    private static final Linker LINKER = Linker.nativeLinker();

    static final class Linked {
        static final MethodHandle IN_NO_LIBRARY = link("missing", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
                Linker.Option.captureCallState("errno"), Linker.Option.firstVariadicArg(1));
        static final Supplier<MethodHandle> LATER = () -> LINKER.downcallHandle(FunctionDescriptor.ofVoid(ValueLayout.JAVA_BOOLEAN),
                Linker.Option.critical(false));

        private static MethodHandle link(String name, FunctionDescriptor type, Linker.Option... options) {
            return LINKER.downcallHandle(SymbolLookup.libraryLookup("none.so", Arena.global()).find(name).orElseThrow(), type, options);
        }

        private static MemorySegment callback(MethodHandle handle, Object receiver, Arena arena) {
            return LINKER.upcallStub(LATER.get().bindTo(receiver), FunctionDescriptor.ofVoid(ValueLayout.JAVA_DOUBLE), arena);
        }
    }

    static final class Added {
        static final MethodHandle HANDLE = Linked.link("added", FunctionDescriptor.of(ValueLayout.JAVA_LONG));
    }

    static final class Field {
        static final VarHandle HANDLE = of(MethodHandles.lookup(), "number");
        private int number;

        private static VarHandle of(MethodHandles.Lookup lookup, String field) {
            try {
                return lookup.findVarHandle(Field.class, field, int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    static final class OfAnObject {
        MethodHandle link() {
            return LINKER.downcallHandle(FunctionDescriptor.ofVoid());
        }
    }

    static final class Capturing {
        static Supplier<MethodHandle> link(FunctionDescriptor type) {
            return () -> LINKER.downcallHandle(type);
        }
    }

    private static Metadata of(Class<?>... module) throws Exception {
        return new Metadata(Stream.of(module).map(Class::getName).toList());
    }

    @Test
    void shouldDescribeCallsAndFields() throws Exception {
        Metadata metadata = of(Linked.class, Field.class);
        assertEquals(List.of(), metadata.unreached());
        assertEquals("""
                {
                  "reflection": [
                    { "type": "org.panamaverbs.testing.nativeimage.MetadataTest$Field", "fields": [{ "name": "number" }] }
                  ],
                  "foreign": {
                    "downcalls": [
                      { "returnType": "jint", "parameterTypes": ["void*"], "options": { "captureCallState": true, "firstVariadicArg": 1 } },
                      { "returnType": "void", "parameterTypes": ["jboolean"], "options": { "critical": { "allowHeapAccess": false } } }
                    ],
                    "upcalls": [
                      { "returnType": "void", "parameterTypes": ["jdouble"] }
                    ]
                  }
                }
                """, metadata.json());
    }

    @Test
    void shouldShowOneMoreCall() throws Exception {
        List<String> lines = new ArrayList<>(of(Linked.class, Added.class).json().lines().toList());
        lines.removeAll(of(Linked.class).json().lines().toList());
        assertEquals(List.of("      { \"returnType\": \"jlong\", \"parameterTypes\": [] },"), lines);
    }

    @Test
    void shouldLeaveCallsOfOtherModulesToThem() throws Exception {
        assertEquals(
                "{\n  \"foreign\": {\n    \"downcalls\": [\n      { \"returnType\": \"jlong\", \"parameterTypes\": [] }\n    ]\n  }\n}\n",
                of(Added.class).json());
    }

    @Test
    void shouldNameCallsThatItCannotReach() throws Exception {
        List<String> unreached = of(OfAnObject.class, Capturing.class).unreached();
        assertEquals(2, unreached.size(), unreached::toString);
        assertEquals(Capturing.class.getName() + " refers to lambda$link$0", unreached.get(0));
        assertEquals(OfAnObject.class.getName() + ".link()Ljava/lang/invoke/MethodHandle;", unreached.get(1).split(" ")[0]);
    }
}
