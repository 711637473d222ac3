package org.panamaverbs.testing.nativeimage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javassist.ClassPool;
import javassist.NotFoundException;
import javassist.bytecode.BadBytecode;
import javassist.bytecode.ClassFile;
import javassist.bytecode.CodeIterator;
import javassist.bytecode.ConstPool;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.Opcode;

/** The calls in class files for which {@link Recorder} stands in. */
final class Calls {
    static final String OURS = "org.panamaverbs.";
    /** A method that takes one of these links, or looks up, what its callers say. */
    private static final Pattern OPEN = Pattern
            .compile("\\([^)]*(FunctionDescriptor|MemoryLayout|MethodHandles\\$Lookup|lang/Class|\\$Function);");
    private static final ClassPool CLASSES = new ClassPool(true);
    private static final Map<String, Boolean> OPEN_METHODS = new ConcurrentHashMap<>();

    /** A method that is called. */
    private record Target(String owner, String name, String type, boolean isStatic) {
        static Target of(CodeIterator code, int at, ConstPool pool) {
            return of(pool, code.u16bitAt(at + 1), code.byteAt(at) == Opcode.INVOKESTATIC);
        }

        static Target of(ConstPool pool, int index, boolean isStatic) {
            return pool.getTag(index) == ConstPool.CONST_InterfaceMethodref
                    ? new Target(pool.getInterfaceMethodrefClassName(index), pool.getInterfaceMethodrefName(index),
                            pool.getInterfaceMethodrefType(index), isStatic)
                    : new Target(pool.getMethodrefClassName(index), pool.getMethodrefName(index), pool.getMethodrefType(index), isStatic);
        }

        String standInType() {
            return isStatic ? type : "(L" + owner.replace('.', '/') + ";" + type.substring(1);
        }

        boolean hasStandIn() {
            return owner.startsWith("java.") && Recorder.METHODS.contains(name + standInType());
        }

        boolean counts() {
            return hasStandIn() && !Recorder.SILENT.contains(name) || isOpen(owner, name, type);
        }
    }

    private Calls() {
    }

    static ClassFile file(String type) {
        try {
            return CLASSES.get(type).getClassFile2();
        } catch (NotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether a method makes calls that count, of which its callers say what is linked or looked up. */
    static boolean isOpen(String owner, String name, String type) {
        if (!owner.startsWith(OURS) || !OPEN.matcher(type).lookingAt()) {
            return false;
        }
        String method = owner + name + type;
        if (OPEN_METHODS.putIfAbsent(method, false) == null) {
            OPEN_METHODS.put(method, file(owner).getMethods().stream()
                    .anyMatch(each -> each.getName().equals(name) && each.getDescriptor().equals(type) && in(owner, each).count() > 0));
        }
        return OPEN_METHODS.get(method);
    }

    /** The places of a method's calls that count, each as {@link #place} names it. */
    static Stream<String> in(String owner, MethodInfo method) {
        return find(method, Target::counts).map(at -> place(owner, method.getName(), method.getDescriptor(), at));
    }

    static String place(String owner, String method, String type, int at) {
        return owner + "." + method + type + " at " + at;
    }

    /** Method references, and lambdas that capture what is linked: where these are called is not seen here. */
    static Stream<String> references(String owner) {
        ConstPool pool = file(owner).getConstPool();
        return IntStream.range(1, pool.getSize()).filter(i -> pool.getTag(i) == ConstPool.CONST_MethodHandle)
                .filter(i -> pool.getMethodHandleKind(i) >= ConstPool.REF_invokeVirtual)
                .mapToObj(i -> Target.of(pool, pool.getMethodHandleIndex(i), pool.getMethodHandleKind(i) == ConstPool.REF_invokeStatic))
                .filter(Target::counts).map(target -> owner + " refers to " + target.name);
    }

    /** Has a class call the stand-ins. */
    static void redirect(ClassFile file) {
        ConstPool pool = file.getConstPool();
        for (MethodInfo method : file.getMethods()) {
            find(method, Target::hasStandIn).forEach(at -> {
                CodeIterator code = method.getCodeAttribute().iterator();
                Target target = Target.of(code, at, pool);
                if (code.byteAt(at) == Opcode.INVOKEINTERFACE) {
                    // Its instruction is longer, by a count and a zero.
                    code.write16bit(Opcode.NOP, at + 3);
                }
                code.writeByte(Opcode.INVOKESTATIC, at);
                code.write16bit(pool.addMethodrefInfo(pool.addClassInfo(Recorder.class.getName()), target.name, target.standInType()),
                        at + 1);
            });
        }
    }

    /** The places of a method's calls of such targets. */
    private static Stream<Integer> find(MethodInfo method, Predicate<Target> wanted) {
        List<Integer> places = new ArrayList<>();
        if (method.getCodeAttribute() != null) {
            try {
                for (CodeIterator code = method.getCodeAttribute().iterator(); code.hasNext();) {
                    int at = code.next();
                    if (code.byteAt(at) >= Opcode.INVOKEVIRTUAL && code.byteAt(at) <= Opcode.INVOKEINTERFACE
                            && wanted.test(Target.of(code, at, method.getConstPool()))) {
                        places.add(at);
                    }
                }
            } catch (BadBytecode e) {
                throw new IllegalStateException(e);
            }
        }
        return places.stream();
    }
}
