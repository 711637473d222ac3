package org.panamaverbs.testing.nativeimage;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Stands in for methods of the JDK, of the same names, in the classes of a module: a receiver becomes the first argument. No native library
 * is needed, and no function is called.
 */
@SuppressWarnings("restricted") // it stands in for the linker
public final class Recorder {
    /** The name and the type of each. */
    static final Set<String> METHODS = Arrays.stream(Recorder.class.getDeclaredMethods())
            .filter(each -> Modifier.isPublic(each.getModifiers()))
            .map(each -> each.getName() + MethodType.methodType(each.getReturnType(), each.getParameterTypes()).toMethodDescriptorString())
            .collect(Collectors.toSet());
    /** Those that record nothing. */
    static final Set<String> SILENT = Set.of("find", "libraryLookup", "bindTo");

    private static final MemorySegment NOWHERE = MemorySegment.ofAddress(1);
    private static final StackWalker CALLER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    /** Takes the section and the text of each; one at a time. */
    private static volatile BiConsumer<String, String> entries;

    private Recorder() {
    }

    static void recordTo(BiConsumer<String, String> recording) {
        entries = recording;
    }

    public static MethodHandle downcallHandle(Linker linker, MemorySegment function, FunctionDescriptor type, Linker.Option... options) {
        addDowncall(type, options);
        return MethodHandles.empty(linker.downcallHandle(NOWHERE, type, options).type());
    }

    public static MethodHandle downcallHandle(Linker linker, FunctionDescriptor type, Linker.Option... options) {
        addDowncall(type, options);
        return MethodHandles.empty(linker.downcallHandle(type, options).type());
    }

    public static MemorySegment upcallStub(Linker linker, MethodHandle target, FunctionDescriptor type, Arena arena,
            Linker.Option... options) {
        entries.accept("upcalls", text(type));
        return NOWHERE;
    }

    public static Optional<MemorySegment> find(SymbolLookup symbols, String name) {
        return Optional.of(NOWHERE);
    }

    public static SymbolLookup libraryLookup(String name, Arena arena) {
        return symbol -> Optional.of(NOWHERE);
    }

    /** The receiver may be {@code null} here. */
    public static MethodHandle bindTo(MethodHandle handle, Object receiver) {
        return receiver == null ? handle : handle.bindTo(receiver);
    }

    public static Class<?> forName(String name) throws ClassNotFoundException {
        addType(name, "");
        return Class.forName(name, true, CALLER.getCallerClass().getClassLoader());
    }

    public static Class<?> forName(String name, boolean initialize, ClassLoader loader) throws ClassNotFoundException {
        addType(name, "");
        return Class.forName(name, initialize, loader);
    }

    public static VarHandle findVarHandle(Lookup lookup, Class<?> owner, String name, Class<?> type) throws ReflectiveOperationException {
        addMember(owner, "fields", name, "");
        return lookup.findVarHandle(owner, name, type);
    }

    public static MethodHandle findVirtual(Lookup lookup, Class<?> owner, String name, MethodType type)
            throws ReflectiveOperationException {
        addMember(owner, "methods", name, ", \"parameterTypes\": " + list(type.parameterList().stream().map(Class::getTypeName)));
        return lookup.findVirtual(owner, name, type);
    }

    public static URL getResource(ClassLoader loader, String name) {
        entries.accept("resources", "\"glob\": \"" + name + '"');
        return null;
    }

    private static void addDowncall(FunctionDescriptor type, Linker.Option... options) {
        String texts = Arrays.stream(options).map(option -> text(option, type)).sorted().collect(Collectors.joining(", "));
        entries.accept("downcalls", text(type) + (texts.isEmpty() ? "" : ", \"options\": { " + texts + " }"));
    }

    private static void addMember(Class<?> owner, String kind, String name, String more) {
        addType(owner.getName(), ", \"" + kind + "\": [{ \"name\": \"" + name + '"' + more + " }]");
    }

    private static void addType(String name, String members) {
        entries.accept("reflection", "\"type\": \"" + name + '"' + members);
    }

    private static String list(Stream<String> names) {
        return names.map(name -> '"' + name + '"').collect(Collectors.joining(", ", "[", "]"));
    }

    private static String text(FunctionDescriptor type) {
        return "\"returnType\": \"" + type.returnLayout().map(Recorder::text).orElse("void") + "\", \"parameterTypes\": "
                + list(type.argumentLayouts().stream().map(Recorder::text));
    }

    /** JNI's name of a type, whose size is the same on all platforms. */
    private static String text(MemoryLayout layout) {
        if (layout instanceof ValueLayout value && value.byteAlignment() == value.byteSize()) {
            return value instanceof AddressLayout ? "void*" : "j" + value.carrier();
        }
        throw new IllegalStateException("no text for " + layout + ": GraalVM's FFM-API.md has its syntax");
    }

    private static String text(Linker.Option option, FunctionDescriptor type) {
        if (option.equals(Linker.Option.captureCallState("errno"))) {
            return "\"captureCallState\": true";
        }
        if (option.equals(Linker.Option.critical(false))) {
            return "\"critical\": { \"allowHeapAccess\": false }";
        }
        return IntStream.rangeClosed(0, type.argumentLayouts().size()).filter(index -> option.equals(Linker.Option.firstVariadicArg(index)))
                .mapToObj(index -> "\"firstVariadicArg\": " + index).findFirst()
                .orElseThrow(() -> new IllegalStateException("no text for " + option + ": GraalVM's FFM-API.md has its syntax"));
    }
}
