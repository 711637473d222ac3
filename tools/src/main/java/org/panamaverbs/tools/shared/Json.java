package org.panamaverbs.tools.shared;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The objects that commands print with {@code --json}: they name their schema and its version (docs/reference/pverbs.md). All but the ASCII
 * characters that are shown are written as their numbers, so that a terminal may show what a peer has sent.
 */
public final class Json {
    /** The schema of a command is this and the command's name. */
    private static final String SCHEMA = "pverbs.";
    /** It grows if a name goes or changes its meaning; names may be added without. */
    private static final int VERSION = 1;
    private static final ObjectMapper MAPPER = new ObjectMapper(factory());

    private Json() {
    }

    private static JsonFactory factory() {
        // Of the ASCII characters, JSON itself leaves DEL alone.
        return new JsonFactoryBuilder().characterEscapes(new Escapes()).highestNonEscapedChar(Escapes.DELETE).build();
    }

    private static final class Escapes extends CharacterEscapes {
        static final int DELETE = 0x7f;

        private static final long serialVersionUID = 1L;

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes[DELETE] = ESCAPE_STANDARD;
            return codes;
        }

        @Override
        public SerializableString getEscapeSequence(int character) {
            return null;
        }
    }

    /** An object of a command, with nothing else in it yet. */
    public static Map<String, Object> object(String command) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("schema", SCHEMA + command);
        object.put("schemaVersion", VERSION);
        return object;
    }

    /** The object that a command prints if it fails. */
    public static Map<String, Object> error(String command, String message, String kind) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("message", message);
        error.put("kind", kind);
        Map<String, Object> object = object(command);
        object.put("error", error);
        return object;
    }

    /** In one line. */
    public static String line(Map<String, Object> object) {
        try {
            return MAPPER.writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In lines for people. */
    public static String lines(Map<String, Object> object) {
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
