package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The shape of public types: what a later version adds breaks no program, and numbers that can be swapped do not stand in one row. */
class ShapesTest {
    private static final int MOST_COMPONENTS = 7;

    private static List<Class<?>> types() {
        return new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.panamaverbs")
                .stream().filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC)).<Class<?>>map(JavaClass::reflect).toList();
    }

    @Test
    void shouldHaveFewComponentsInARecord() {
        List<Class<?>> records = types().stream().filter(Class::isRecord).toList();
        assertFalse(records.isEmpty());
        assertEquals(List.of(), records.stream().filter(type -> type.getRecordComponents().length > MOST_COMPONENTS).toList());
    }

    @Test
    void shouldHaveNoThreeLongsInARow() {
        List<Executable> all = types().stream()
                .flatMap(type -> Stream.<Executable>concat(Stream.of(type.getDeclaredMethods()), Stream.of(type.getDeclaredConstructors())))
                .filter(call -> Modifier.isPublic(call.getModifiers()) || Modifier.isProtected(call.getModifiers())).toList();
        assertFalse(all.isEmpty());
        assertEquals(List.of(), all.stream().filter(ShapesTest::hasThreeLongsInARow).toList());
    }

    private static boolean hasThreeLongsInARow(Executable call) {
        int inARow = 0;
        for (Class<?> parameter : call.getParameterTypes()) {
            inARow = parameter == long.class ? inARow + 1 : 0;
            if (inARow == 3) {
                return true;
            }
        }
        return false;
    }
}
