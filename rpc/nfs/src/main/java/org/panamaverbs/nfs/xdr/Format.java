package org.panamaverbs.nfs.xdr;

import java.io.IOException;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;

/** How a value of an attribute is encoded and decoded. */
record Format<T>(Class<T> type, Encoder<T> encoder, Decoder<T> decoder) {
    static final Format<Integer> INT = new Format<>(Integer.class, (xdr, value) -> xdr.xdrEncodeInt(value),
            XdrDecodingStream::xdrDecodeInt);
    static final Format<Long> LONG = new Format<>(Long.class, (xdr, value) -> xdr.xdrEncodeLong(value), XdrDecodingStream::xdrDecodeLong);
    static final Format<Boolean> BOOL = new Format<>(Boolean.class, (xdr, value) -> xdr.xdrEncodeBoolean(value),
            xdr -> Bounded.bool(xdr, "an attribute"));
    static final Format<String> NAME = new Format<>(String.class, (xdr, value) -> xdr.xdrEncodeString(value),
            xdr -> Bounded.string(xdr, Nfs4.OWNER_LIMIT, "the name of an owner"));
    static final Format<Bitmap> BITMAP = new Format<>(Bitmap.class, (xdr, value) -> value.encode(xdr), Bitmap::decode);
    static final Format<FileType> TYPE = new Format<>(FileType.class, (xdr, value) -> xdr.xdrEncodeInt(value.number()), FileType::decode);
    static final Format<Status> STATUS = new Format<>(Status.class, (xdr, value) -> xdr.xdrEncodeInt(value.code()), Status::decode);
    static final Format<FileHandle> HANDLE = new Format<>(FileHandle.class, (xdr, value) -> value.encode(xdr), FileHandle::decode);
    static final Format<FileSystemId> FSID = new Format<>(FileSystemId.class, (xdr, value) -> value.encode(xdr), FileSystemId::decode);
    static final Format<DeviceNumber> DEVICE = new Format<>(DeviceNumber.class, (xdr, value) -> value.encode(xdr), DeviceNumber::decode);
    static final Format<NfsTime> TIME = new Format<>(NfsTime.class, (xdr, value) -> value.encode(xdr), NfsTime::decode);
    static final Format<SetTime> SET_TIME = new Format<>(SetTime.class, (xdr, value) -> value.encode(xdr), SetTime::decode);

    interface Encoder<T> {
        void encode(XdrEncodingStream xdr, T value) throws IOException;
    }

    interface Decoder<T> {
        T decode(XdrDecodingStream xdr) throws IOException;
    }

    void encode(XdrEncodingStream xdr, T value) throws IOException {
        encoder.encode(xdr, value);
    }

    T decode(XdrDecodingStream xdr) throws IOException {
        return decoder.decode(xdr);
    }
}
