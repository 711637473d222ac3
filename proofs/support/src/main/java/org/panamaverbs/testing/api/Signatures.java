package org.panamaverbs.testing.api;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javassist.bytecode.AccessFlag;
import javassist.bytecode.AnnotationsAttribute;
import javassist.bytecode.AttributeInfo;
import javassist.bytecode.ClassFile;
import javassist.bytecode.ConstPool;
import javassist.bytecode.ConstantAttribute;
import javassist.bytecode.ExceptionsAttribute;
import javassist.bytecode.FieldInfo;
import javassist.bytecode.InnerClassesAttribute;
import javassist.bytecode.MethodInfo;
import javassist.bytecode.SignatureAttribute;

/**
 * The classes that a module exports, as a jar without code: programs are compiled against them. The same signatures give the same bytes.
 * {@code javap -cp signatures.jar} shows them.
 */
final class Signatures {
    private static final String PERMITTED = "PermittedSubclasses";
    private static final Set<String> KEPT = Set.of(SignatureAttribute.tag, ConstantAttribute.tag, ExceptionsAttribute.tag,
            InnerClassesAttribute.tag, AnnotationsAttribute.visibleTag, AnnotationsAttribute.invisibleTag);
    private static final int SHOWN = AccessFlag.PUBLIC | AccessFlag.PROTECTED;

    private Signatures() {
    }

    /** Those of compiled classes. Without a descriptor of a module, all packages are exported. */
    static byte[] of(Path folder) throws IOException {
        Map<String, ClassFile> all = read(folder);
        Map<String, ClassFile> shown = new TreeMap<>();
        Predicate<ClassFile> exported = exported(folder);
        all.values().stream().filter(exported).filter(type -> isShown(all, type)).forEach(type -> add(all, shown, type));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes)) {
            for (ClassFile type : shown.values()) {
                JarEntry entry = new JarEntry(type.getName().replace('.', '/') + ".class");
                entry.setTime(0);
                jar.putNextEntry(entry);
                jar.write(stripped(type));
            }
        }
        return bytes.toByteArray();
    }

    /** The classes that a sealed one permits, by name, or none. */
    static List<String> permitted(ClassFile type) {
        AttributeInfo attribute = type.getAttribute(PERMITTED);
        if (attribute == null) {
            return List.of();
        }
        ByteBuffer indices = ByteBuffer.wrap(attribute.get());
        return IntStream.range(0, indices.getShort()).mapToObj(i -> type.getConstPool().getClassInfo(indices.getShort())).sorted().toList();
    }

    private static Map<String, ClassFile> read(Path folder) throws IOException {
        Map<String, ClassFile> all = new HashMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".class") && !path.endsWith("module-info.class")).toList()) {
                try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
                    ClassFile type = new ClassFile(in);
                    all.put(type.getName(), type);
                }
            }
        }
        return all;
    }

    private static Predicate<ClassFile> exported(Path folder) throws IOException {
        Path descriptor = folder.resolve("module-info.class");
        if (!Files.exists(descriptor)) {
            return type -> true;
        }
        try (InputStream in = Files.newInputStream(descriptor)) {
            Set<String> packages = ModuleDescriptor.read(in).exports().stream().filter(export -> !export.isQualified())
                    .map(ModuleDescriptor.Exports::source).collect(Collectors.toSet());
            return type -> packages.contains(type.getName().substring(0, Math.max(0, type.getName().lastIndexOf('.'))));
        }
    }

    /** Whether other modules can name it: it is public, or protected in a class that they can extend, and so is the class around it. */
    private static boolean isShown(Map<String, ClassFile> all, ClassFile type) {
        InnerClassesAttribute nested = (InnerClassesAttribute) type.getAttribute(InnerClassesAttribute.tag);
        int index = nested == null ? -1 : nested.find(type.getName());
        if (index < 0) {
            return AccessFlag.isPublic(type.getAccessFlags());
        }
        ClassFile outer = all.get(nested.outerClass(index));
        return outer != null && (nested.accessFlags(index) & SHOWN) != 0 && isShown(all, outer);
    }

    /** With its superclass, which may be hidden and have public methods. */
    private static void add(Map<String, ClassFile> all, Map<String, ClassFile> shown, ClassFile type) {
        shown.put(type.getName(), type);
        ClassFile parent = all.get(type.getSuperclass());
        if (parent != null) {
            add(all, shown, parent);
        }
    }

    private static byte[] stripped(ClassFile type) throws IOException {
        List<String> permitted = permitted(type);
        type.getAttributes().removeIf(attribute -> !KEPT.contains(attribute.getName()));
        type.getFields().removeIf(field -> (field.getAccessFlags() & SHOWN) == 0);
        type.getMethods().removeIf(method -> (method.getAccessFlags() & SHOWN) == 0);
        for (FieldInfo field : type.getFields()) {
            field.getAttributes().removeIf(attribute -> !KEPT.contains(attribute.getName()));
        }
        for (MethodInfo method : type.getMethods()) {
            method.getAttributes().removeIf(attribute -> !KEPT.contains(attribute.getName()));
        }
        type.compact();
        if (!permitted.isEmpty()) {
            type.addAttribute(permittedAttribute(type.getConstPool(), permitted));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        type.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static AttributeInfo permittedAttribute(ConstPool pool, List<String> permitted) {
        ByteBuffer indices = ByteBuffer.allocate(2 + 2 * permitted.size()).putShort((short) permitted.size());
        permitted.forEach(name -> indices.putShort((short) pool.addClassInfo(name)));
        return new AttributeInfo(pool, PERMITTED, indices.array());
    }
}
