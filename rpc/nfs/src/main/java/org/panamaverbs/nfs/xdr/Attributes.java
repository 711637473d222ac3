package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** Attributes with their values (fattr4; RFC 8881, 3.3.7): a bitmap, and the values in ascending order of their numbers. */
public final class Attributes {
    private final Map<Integer, Object> values = new TreeMap<>();

    /** No attributes yet. */
    public Attributes() {
        // The map is made above.
    }

    /** Sets a value. */
    public <T> Attributes with(Attribute<T> attribute, T value) {
        values.put(attribute.number(), Objects.requireNonNull(value));
        return this;
    }

    /** A value, if it is there. */
    public <T> Optional<T> get(Attribute<T> attribute) {
        return Optional.ofNullable(values.get(attribute.number())).map(attribute::cast);
    }

    /** A value; an error if the peer did not send it. */
    public <T> T require(Attribute<T> attribute) throws IOException {
        return get(attribute).orElseThrow(() -> new BadXdrException("the attribute " + attribute + " is missing"));
    }

    /** Which attributes have values. */
    public Bitmap present() {
        return Bitmap.of(values.keySet().stream().mapToInt(Integer::intValue).toArray());
    }

    public void encode(XdrEncodingStream xdr) throws IOException {
        present().encode(xdr);
        try (Xdr list = new Xdr(Xdr.INITIAL_XDR_SIZE)) {
            list.beginEncoding();
            for (Map.Entry<Integer, Object> entry : values.entrySet()) {
                Attribute.of(entry.getKey()).orElseThrow().encode(list, entry.getValue());
            }
            list.endEncoding();
            xdr.xdrEncodeDynamicOpaque(list.getBytes());
        }
    }

    /**
     * Decodes a bitmap and values. An attribute of the bitmap that this package does not know is an error, since the values behind it
     * cannot be found; so ask for no others. Bytes behind the last value are an error, too.
     *
     * @throws UnknownAttributeException if the bitmap has an attribute that is not known; the whole was decoded from the stream
     */
    public static Attributes decode(XdrDecodingStream xdr) throws IOException {
        Bitmap bitmap = Bitmap.decode(xdr);
        byte[] bytes = Bounded.opaque(xdr, Nfs4.ATTRIBUTES_LIMIT, "a list of attributes");
        Attributes attributes = new Attributes();
        Xdr list = new Xdr(bytes);
        list.beginDecoding();
        for (int number : bitmap.numbers().toArray()) {
            Attribute<?> attribute = Attribute.of(number).orElseThrow(() -> new UnknownAttributeException(number));
            attributes.values.put(number, attribute.decode(list));
        }
        if (list.hasMoreData()) {
            throw new BadXdrException("a list of attributes is longer than its values");
        }
        return attributes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Attributes attributes && values.equals(attributes.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        values.forEach((number, value) -> text.append(text.isEmpty() ? "" : ", ").append(Attribute.of(number).orElseThrow()).append(' ')
                .append(value));
        return text.toString();
    }
}
