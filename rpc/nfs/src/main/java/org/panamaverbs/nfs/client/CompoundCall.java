package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.xdr.BadXdrException;
import org.panamaverbs.nfs.xdr.Bounded;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.Operation;
import org.panamaverbs.nfs.xdr.Status;

/**
 * The operations of one call with their arguments, and after the call their results (COMPOUND; RFC 8881, 16.2). A reply must have the
 * operations of the call in their order; it ends with the first that failed.
 */
final class CompoundCall implements XdrAble {
    private final List<Step> steps = new ArrayList<>();
    private int succeeded;
    private Operation failed;
    private Status status;

    interface Arguments {
        void encode(XdrEncodingStream xdr) throws IOException;
    }

    interface Results {
        void decode(XdrDecodingStream xdr) throws IOException;
    }

    private record Step(Operation operation, Arguments arguments, Results results) {
    }

    CompoundCall add(Operation operation, Arguments arguments, Results results) {
        steps.add(new Step(operation, arguments, results));
        return this;
    }

    /** Adds one that returns nothing but its status. */
    CompoundCall add(Operation operation, Arguments arguments) {
        return add(operation, arguments, xdr -> {
        });
    }

    /** Puts one before all others: SEQUENCE. */
    void addFirst(Operation operation, Arguments arguments, Results results) {
        steps.addFirst(new Step(operation, arguments, results));
    }

    /** How many operations succeeded. */
    int succeeded() {
        return succeeded;
    }

    /** How it ended; {@code null} before the reply was decoded. */
    Status status() {
        return status;
    }

    void check(String object) throws NfsException {
        if (status != Status.OK) {
            throw new NfsException(failed, status, object);
        }
    }

    @Override
    public void xdrEncode(XdrEncodingStream xdr) throws IOException {
        xdr.xdrEncodeInt(0); // No tag.
        xdr.xdrEncodeInt(Nfs4.MINOR_VERSION);
        xdr.xdrEncodeInt(steps.size());
        for (Step step : steps) {
            xdr.xdrEncodeInt(step.operation.number());
            step.arguments.encode(xdr);
        }
    }

    @Override
    public void xdrDecode(XdrDecodingStream xdr) throws IOException {
        try {
            decode(xdr);
        } catch (IndexOutOfBoundsException | IllegalArgumentException | java.nio.BufferUnderflowException e) {
            // oncrpc4j's streams check most lengths, but not all.
            throw new BadXdrException("the server's reply cannot be decoded: " + e.getMessage());
        }
    }

    private void decode(XdrDecodingStream xdr) throws IOException {
        Status whole = Status.decode(xdr);
        Bounded.opaque(xdr, Nfs4.TAG_LIMIT, "the tag of a reply");
        int count = Bounded.count(xdr, steps.size(), "the list of results");
        Status last = count == 0 ? whole : Status.OK;
        for (int i = 0; i < count; i++) {
            Step step = steps.get(i);
            int number = xdr.xdrDecodeInt();
            if (number != step.operation.number() && number != Operation.ILLEGAL.number()) {
                throw new BadXdrException(
                        "the server answers operation " + Integer.toUnsignedString(number) + " in the place of " + step.operation);
            }
            last = Status.decode(xdr);
            if (last != Status.OK) {
                if (i != count - 1) {
                    throw new BadXdrException("the server answers operations behind one that failed");
                }
                break;
            }
            step.results.decode(xdr);
            succeeded++;
        }
        if (last != whole || last == Status.OK && count != steps.size()) {
            throw new BadXdrException("the server says " + whole + " but answers " + succeeded + " of " + steps.size() + " operations");
        }
        if (last != Status.OK) {
            failed = steps.get(Math.min(succeeded, steps.size() - 1)).operation;
        }
        status = last;
    }
}
