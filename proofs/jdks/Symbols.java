import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.InterfaceMethodRefEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.MethodRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Looks up each class, method and field of the JDK that our classes refer to in every JDK from 22 to its own:
 * {@code java proofs/jdks/Symbols.java LIST FOLDER ...} It needs JDK 24 or newer, whose compiler knows the API of each older JDK. It writes
 * all symbols into LIST, prints a line for each JDK, and ends with status 1 if a symbol is missing in one. Reflection looks up names in
 * strings, which are no symbols: the program counts the classes that call it.
 */
class Symbols {
    private static final int OLDEST = 22;
    /** Of the JDK's packages; no library of ours has such ones. */
    private static final List<String> JDK = List.of("java/", "javax/", "jdk/", "sun/", "com/sun/");
    private static final Set<String> REFLECTION = Set.of("java/lang/Class.forName", "java/lang/Class.getMethod",
            "java/lang/Class.getDeclaredMethod", "java/lang/Class.getField", "java/lang/Class.getDeclaredField", "java/lang/Class.getConstructor",
            "java/lang/Class.getDeclaredConstructor", "java/lang/ClassLoader.loadClass", "java/lang/invoke/MethodHandles$Lookup.findClass",
            "java/lang/invoke/MethodHandles$Lookup.findStatic", "java/lang/invoke/MethodHandles$Lookup.findVirtual",
            "java/lang/invoke/MethodHandles$Lookup.findVarHandle", "java/lang/invoke/MethodHandles$Lookup.findConstructor");

    /** A member, or a class if it has no name. */
    private record Symbol(String owner, String name, String descriptor, boolean method) implements Comparable<Symbol> {
        @Override
        public int compareTo(Symbol other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return name.isEmpty() ? owner : owner + "." + name + (method ? "" : " ") + descriptor;
        }
    }

    private final Set<Symbol> symbols = new TreeSet<>();
    private final Map<String, Set<String>> reflective = new TreeMap<>();
    private int classes;

    public static void main(String[] arguments) throws IOException {
        Symbols symbols = new Symbols();
        for (String folder : List.of(arguments).subList(1, arguments.length)) {
            try (Stream<Path> files = Files.walk(Path.of(folder))) {
                for (Path file : files.filter(file -> file.toString().endsWith(".class")).toList()) {
                    symbols.read(file);
                }
            }
        }
        if (symbols.classes == 0) {
            System.err.println("symbols: no classes in " + List.of(arguments) + ": build first");
            System.exit(2);
        }
        System.exit(symbols.report(Path.of(arguments[0])) ? 0 : 1);
    }

    private void read(Path file) throws IOException {
        classes++;
        var model = ClassFile.of().parse(file);
        String from = model.thisClass().asInternalName();
        for (PoolEntry entry : model.constantPool()) {
            if (entry instanceof ClassEntry type) {
                add(owner(type), "", "", false);
            } else if (entry instanceof MemberRefEntry member) {
                String owner = owner(member.owner());
                String name = member.name().stringValue();
                boolean method = member instanceof MethodRefEntry || member instanceof InterfaceMethodRefEntry;
                add(owner, name, member.type().stringValue(), method);
                if (REFLECTION.contains(owner + "." + name)) {
                    reflective.computeIfAbsent(from, key -> new TreeSet<>()).add(owner + "." + name);
                }
            }
        }
    }

    /** An array has the members of an object. */
    private static String owner(ClassEntry type) {
        String name = type.asInternalName();
        return name.startsWith("[") ? "java/lang/Object" : name;
    }

    private void add(String owner, String name, String descriptor, boolean method) {
        if (JDK.stream().anyMatch(owner::startsWith)) {
            symbols.add(new Symbol(owner, name, descriptor, method));
        }
    }

    private boolean report(Path list) throws IOException {
        int newest = Runtime.version().feature();
        List<String> lines = new ArrayList<>();
        symbols.forEach(symbol -> lines.add(symbol.toString()));
        lines.add("");
        lines.add("Classes that look something up by name:");
        reflective.forEach((from, calls) -> lines.add(from + ": " + String.join(", ", calls)));
        long members = symbols.stream().filter(symbol -> !symbol.name().isEmpty()).count();
        System.out.printf("symbols of the JDK in %d classes: %d classes, %d methods and fields%n", classes, symbols.size() - members,
                members);
        boolean whole = true;
        for (int release = OLDEST; release <= newest; release++) {
            Api api = new Api(release);
            List<Symbol> missing = symbols.stream().filter(symbol -> !api.has(symbol)).toList();
            long leaving = symbols.stream().filter(api::leaves).peek(symbol -> lines.add("for removal: " + symbol)).count();
            System.out.printf("  JDK %d: %d missing, %d marked for removal%n", release, missing.size(), leaving);
            missing.forEach(symbol -> System.out.println("    missing: " + symbol));
            whole &= missing.isEmpty();
        }
        System.out.printf("  %d classes look something up by name, which this does not see%n", reflective.size());
        Files.createDirectories(list.toAbsolutePath().getParent());
        Files.write(list, lines);
        return whole;
    }

    /** The API of a JDK, as its compiler knows it. */
    private static final class Api {
        private final Elements elements;
        private final Types types;

        Api(int release) {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of("--release", Integer.toString(release), "-proc:none"),
                    List.of("java.lang.Object"), null);
            elements = task.getElements();
            types = task.getTypes();
        }

        private TypeElement type(Symbol symbol) {
            return elements.getTypeElement(symbol.owner().replace('/', '.').replace('$', '.'));
        }

        boolean has(Symbol symbol) {
            TypeElement type = type(symbol);
            return type != null && (symbol.name().isEmpty() || find(type, symbol, new HashSet<>()) != null);
        }

        boolean leaves(Symbol symbol) {
            TypeElement type = type(symbol);
            Element found = type == null || symbol.name().isEmpty() ? type : find(type, symbol, new HashSet<>());
            Deprecated mark = found == null ? null : found.getAnnotation(Deprecated.class);
            return mark != null && mark.forRemoval();
        }

        private Element find(TypeElement type, Symbol symbol, Set<TypeElement> seen) {
            if (!seen.add(type)) {
                return null;
            }
            for (Element member : type.getEnclosedElements()) {
                if (fits(member, symbol)) {
                    return member;
                }
            }
            List<TypeMirror> above = new ArrayList<>(type.getInterfaces());
            above.add(type.getKind().isInterface() ? elements.getTypeElement("java.lang.Object").asType() : type.getSuperclass());
            for (TypeMirror mirror : above) {
                Element found = mirror.getKind() == TypeKind.DECLARED ? find((TypeElement) types.asElement(mirror), symbol, seen) : null;
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        private boolean fits(Element member, Symbol symbol) {
            if (!member.getSimpleName().contentEquals(symbol.name()) || member.getModifiers().contains(Modifier.PRIVATE)) {
                return false;
            }
            boolean method = member.getKind() == ElementKind.METHOD || member.getKind() == ElementKind.CONSTRUCTOR;
            if (method != symbol.method()) {
                return false;
            }
            return polymorphic(member, symbol) || descriptor(member).equals(symbol.descriptor());
        }

        /** A method of method handles and variable handles takes and gives any types. */
        private static boolean polymorphic(Element member, Symbol symbol) {
            return (symbol.owner().equals("java/lang/invoke/MethodHandle") || symbol.owner().equals("java/lang/invoke/VarHandle"))
                    && member instanceof ExecutableElement method && method.isVarArgs() && method.getParameters().size() == 1;
        }

        private String descriptor(Element member) {
            if (!(member instanceof ExecutableElement method)) {
                return descriptor(member.asType());
            }
            StringBuilder text = new StringBuilder("(");
            method.getParameters().forEach(parameter -> text.append(descriptor(parameter.asType())));
            return text.append(')').append(descriptor(method.getReturnType())).toString();
        }

        private String descriptor(TypeMirror mirror) {
            TypeMirror type = types.erasure(mirror);
            return switch (type.getKind()) {
                case BOOLEAN -> "Z";
                case BYTE -> "B";
                case SHORT -> "S";
                case CHAR -> "C";
                case INT -> "I";
                case LONG -> "J";
                case FLOAT -> "F";
                case DOUBLE -> "D";
                case VOID -> "V";
                case ARRAY -> "[" + descriptor(((ArrayType) type).getComponentType());
                default -> "L" + elements.getBinaryName((TypeElement) ((DeclaredType) type).asElement()).toString().replace('.', '/') + ";";
            };
        }
    }
}
