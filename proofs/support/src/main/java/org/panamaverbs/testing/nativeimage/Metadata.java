package org.panamaverbs.testing.nativeimage;

import java.lang.StackWalker.StackFrame;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javassist.CannotCompileException;
import javassist.ClassPool;
import javassist.Loader;
import javassist.NotFoundException;
import javassist.Translator;
import javassist.bytecode.MethodInfo;

/**
 * The reachability metadata of a module, by GraalVM's schema 1.2.0. The classes of the module are loaded anew, and {@link Recorder} stands in
 * for the JDK. Each static initializer and each other static method that links a function or looks up something runs, with {@code null} and
 * 0 for arguments.
 */
final class Metadata {
    private static final Set<String> RECORDING = Set.of(Metadata.class.getName(), Recorder.class.getName());
    /** The types of methods are read. */
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private final Set<String> module;
    private final Set<String> reached = new HashSet<>();
    private final Map<String, Set<String>> sections = new HashMap<>();

    /**
     * Of the classes of a module.
     *
     * @param module their binary names
     */
    Metadata(Collection<String> module) throws ReflectiveOperationException, NotFoundException, CannotCompileException {
        this.module = new TreeSet<>(module);
        Recorder.recordTo(this::add);
        Loader loader = new Loader(Metadata.class.getClassLoader(), null);
        List.of(Recorder.class.getName(), "jdk.", "org.slf4j.").forEach(loader::delegateLoadingOf);
        loader.addTranslator(new ClassPool(true), new Translator() {
            @Override
            public void start(ClassPool classes) {
            }

            @Override
            public void onLoad(ClassPool classes, String name) throws NotFoundException {
                if (name.startsWith(Calls.OURS)) {
                    Calls.redirect(classes.get(name).getClassFile());
                }
            }
        });
        for (String type : this.module) {
            for (MethodInfo method : Calls.file(type).getMethods()) {
                if (calls(type, method).findAny().isPresent()) {
                    run(Class.forName(type, method.isStaticInitializer(), loader), method);
                }
            }
        }
    }

    /** Of an open method the callers have them. */
    private static Stream<String> calls(String type, MethodInfo method) {
        return Calls.isOpen(type, method.getName(), method.getDescriptor()) ? Stream.of() : Calls.in(type, method);
    }

    private static void run(Class<?> type, MethodInfo method) throws IllegalAccessException {
        for (Method each : type.getDeclaredMethods()) {
            String descriptor = MethodType.methodType(each.getReturnType(), each.getParameterTypes()).toMethodDescriptorString();
            if (Modifier.isStatic(each.getModifiers()) && each.getName().equals(method.getName())
                    && descriptor.equals(method.getDescriptor())) {
                each.setAccessible(true);
                try {
                    each.invoke(null, Arrays.stream(each.getParameterTypes())
                            .map(parameter -> parameter.isPrimitive() ? Array.get(Array.newInstance(parameter, 1), 0) : null).toArray());
                } catch (InvocationTargetException e) {
                    // Its calls behind that are unreached.
                    continue;
                }
            }
        }
    }

    /** The calls of which nothing is recorded, since they need an object, or arguments. */
    List<String> unreached() {
        return module.stream().flatMap(type -> Stream.concat(Calls.references(type),
                Calls.file(type).getMethods().stream().flatMap(method -> calls(type, method)).filter(call -> !reached.contains(call))))
                .toList();
    }

    /** If the module makes the call that is under way, and not one that it uses. */
    private synchronized void add(String section, String entry) {
        List<StackFrame> frames = WALKER.walk(all -> all.filter(frame -> frame.getClassName().startsWith(Calls.OURS))
                .dropWhile(frame -> RECORDING.contains(frame.getClassName())).toList());
        frames.forEach(frame -> reached
                .add(Calls.place(frame.getClassName(), frame.getMethodName(), frame.getDescriptor(), frame.getByteCodeIndex())));
        frames.stream().filter(frame -> !Calls.isOpen(frame.getClassName(), frame.getMethodName(), frame.getDescriptor())).findFirst()
                .filter(frame -> module.contains(frame.getClassName()))
                .ifPresent(_ -> sections.computeIfAbsent(section, _ -> new TreeSet<>()).add("{ " + entry + " }"));
    }

    /** The file. */
    String json() {
        String foreign = array("    ", "downcalls") + array("    ", "upcalls");
        String all = array("  ", "reflection") + array("  ", "resources")
                + (foreign.isEmpty() ? "" : ",\n  \"foreign\": {" + foreign.substring(1) + "\n  }");
        return "{" + all.substring(1) + "\n}\n";
    }

    private String array(String indent, String section) {
        return !sections.containsKey(section) ? "" : sections.get(section).stream().map(entry -> "\n  " + indent + entry)
                .collect(Collectors.joining(",", ",\n" + indent + '"' + section + "\": [", "\n" + indent + "]"));
    }
}
