package org.panamaverbs.testing.api;

import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.filter.AnnotationBehaviorFilter;
import japicmp.filter.AnnotationClassFilter;
import japicmp.filter.AnnotationFieldFilter;
import japicmp.model.JApiBehavior;
import japicmp.model.JApiClass;
import japicmp.model.JApiCompatibility;
import japicmp.model.JApiCompatibilityChange;
import japicmp.model.JApiCompatibilityChangeType;
import japicmp.model.JApiParameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javassist.CtClass;
import org.panamaverbs.testing.api.Change.Side;

/**
 * Finds the incompatible changes between two jars of {@link Signatures}, apart from types and members that are marked as incubating. japicmp
 * finds all but those of sealed types, which it does not know.
 */
final class Changes {
    private static final String MARK = "@org.panamaverbs.Incubating";
    /** A caller of an interface does not notice one more method. */
    private static final Set<JApiCompatibilityChangeType> MORE_TO_IMPLEMENT = Set.of(JApiCompatibilityChangeType.METHOD_ADDED_TO_INTERFACE,
            JApiCompatibilityChangeType.METHOD_ABSTRACT_ADDED_IN_IMPLEMENTED_INTERFACE,
            JApiCompatibilityChangeType.METHOD_ABSTRACT_ADDED_IN_SUPERCLASS);

    private final String providerPackage;
    private final List<Change> changes = new ArrayList<>();

    private Changes(String providerPackage) {
        this.providerPackage = providerPackage;
    }

    /**
     * The incompatible changes, in the order of classes.
     *
     * @param providerPackage the package for providers, which then implement the interfaces of the other packages; empty if programs
     *                        implement them
     */
    static List<Change> between(byte[] recorded, byte[] present, String providerPackage) {
        JarArchiveComparatorOptions options = new JarArchiveComparatorOptions();
        options.setNoAnnotations(true);
        options.getIgnoreMissingClasses().setIgnoreAllMissingClasses(true);
        options.getFilters().getExcludes()
                .addAll(List.of(new AnnotationClassFilter(MARK), new AnnotationBehaviorFilter(MARK), new AnnotationFieldFilter(MARK)));
        Changes found = new Changes(providerPackage);
        new JarArchiveComparator(options)
                .compare(new JApiCmpArchive(recorded, "recorded", "1"), new JApiCmpArchive(present, "present", "2")).forEach(found::add);
        return found.changes;
    }

    private void add(JApiClass type) {
        String name = type.getFullyQualifiedName();
        add(name, name, type);
        add(name, name, type.getSuperclass());
        type.getInterfaces().forEach(parent -> add(name, name + " implements " + parent.getFullyQualifiedName(), parent));
        type.getConstructors().forEach(constructor -> add(name, constructor));
        type.getMethods().forEach(method -> add(name, method));
        type.getMethods().forEach(method -> add(name, name + "." + described(method), method.getReturnType()));
        type.getFields().forEach(field -> add(name, name + "." + field.getName(), field));
        addPermitted(type);
    }

    private void add(String type, JApiBehavior behavior) {
        String where = type + "." + described(behavior);
        add(type, where, behavior);
        behavior.getParameters().forEach(parameter -> add(type, where, parameter));
    }

    private void add(String type, String where, JApiCompatibility part) {
        for (JApiCompatibilityChange change : part.getCompatibilityChanges()) {
            if (!change.isBinaryCompatible() || !change.isSourceCompatible()) {
                Side side = MORE_TO_IMPLEMENT.contains(change.getType()) && !providerPackage.isEmpty() ? Side.PROVIDERS : side(type);
                changes.add(new Change(side, where + ": " + change.getType()));
            }
        }
    }

    /** A program's switch over a sealed type names all that it permits. */
    private void addPermitted(JApiClass type) {
        List<String> before = permitted(type.getOldClass());
        List<String> after = permitted(type.getNewClass());
        if (type.getOldClass().isPresent() && type.getNewClass().isPresent() && !before.equals(after)) {
            String name = type.getFullyQualifiedName();
            changes.add(new Change(side(name), name + " permitted " + before + " and permits " + after));
        }
    }

    private static List<String> permitted(Optional<CtClass> type) {
        return type.map(present -> Signatures.permitted(present.getClassFile2())).orElse(List.of());
    }

    private Side side(String type) {
        return !providerPackage.isEmpty() && type.startsWith(providerPackage + ".") ? Side.PROVIDERS : Side.PROGRAMS;
    }

    private static String described(JApiBehavior behavior) {
        return behavior.getParameters().stream().map(JApiParameter::getType)
                .collect(Collectors.joining(", ", behavior.getName() + "(", ")"));
    }
}
