package org.panamaverbs.tools.doctor;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the doctor found out about one thing.
 *
 * @param verdict whether it hinders
 * @param subject the thing
 * @param text    what was found
 * @param cure    what to do about it; empty if there is nothing to do
 */
record Finding(Verdict verdict, String subject, String text, String cure) {
    enum Verdict {
        /** As it should be. */
        OK("ok"),
        /** It can hinder some programs, or the system does not say. */
        NOTE("note"),
        /** No program can use a device, or this device, until it is mended. */
        MISSING("MISSING");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }
    }

    static Finding ok(String subject, String text) {
        return new Finding(Verdict.OK, subject, text, "");
    }

    static Finding note(String subject, String text, String cure) {
        return new Finding(Verdict.NOTE, subject, text, cure);
    }

    static Finding missing(String subject, String text, String cure) {
        return new Finding(Verdict.MISSING, subject, text, cure);
    }

    boolean isMissing() {
        return verdict == Verdict.MISSING;
    }

    /** A line, and a second one with the cure. */
    String lines() {
        String line = "%-8s %-20s %s".formatted(verdict.text, subject, text);
        return cure.isEmpty() ? line : line + "%n%30s%s".formatted("", cure);
    }

    Map<String, Object> described() {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("verdict", verdict.name());
        described.put("subject", subject);
        described.put("text", text);
        described.put("cure", cure);
        return described;
    }
}
