package org.panamaverbs.nfs.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.panamaverbs.rpcrdma.Placement;

/** Moves a part of a file in pieces, as many at a time as the session has slots. A piece that is moved in part goes on from there. */
final class Transfer {
    private final ClientSession session;
    private final String path;
    private final int pieceSize;
    private final Deque<Flight> flights = new ArrayDeque<>();

    /** One call of a kind: READ or WRITE. */
    interface Kind {
        /** Adds the operation; its results are kept in the answer. */
        CompoundCall compound(long offset, MemorySegment piece, Answer answer);

        Placement placement(MemorySegment piece);
    }

    /** The server's answer for a piece. */
    static final class Answer {
        long moved;
        boolean last;
    }

    private record Flight(long at, long length, CompletableFuture<CompoundCall> call, Answer answer) {
    }

    Transfer(ClientSession session, String path, int pieceSize) {
        this.session = session;
        this.path = path;
        this.pieceSize = pieceSize;
    }

    /**
     * Moves.
     *
     * @param offset   in the file
     * @param memory   the file's part from there
     * @param progress gets the number of bytes that are moved
     * @return how many bytes were moved before the file's end
     */
    long move(long offset, MemorySegment memory, Kind kind, LongConsumer progress) throws IOException {
        long end = memory.byteSize();
        long next = 0;
        ClientSession.Pause pause = session.pause();
        try {
            while (true) {
                while (next < end && flights.size() < session.slots()) {
                    long length = Math.min(pieceSize, end - next);
                    flights.addLast(launch(offset, next, length, memory, kind));
                    next += length;
                }
                Flight flight = flights.peekFirst();
                if (flight == null) {
                    return end;
                }
                CompoundCall compound = session.await(flight.call);
                flights.removeFirst();
                if (pause.after(compound.status())) {
                    flights.addFirst(launch(offset, flight.at, flight.length, memory, kind));
                    continue;
                }
                compound.check(path);
                pause = session.pause();
                long done = flight.at + flight.answer.moved;
                if (flight.answer.last) {
                    end = Math.min(end, done);
                    next = Math.max(next, end);
                } else if (flight.answer.moved == 0) {
                    throw new IOException(path + ": the server moves 0 bytes, and does not say that the file ends");
                } else if (flight.answer.moved < flight.length) {
                    flights.addFirst(launch(offset, done, flight.length - flight.answer.moved, memory, kind));
                }
                progress.accept(Math.min(done, end));
            }
        } finally {
            // Their memory belongs to the transport until they are done.
            flights.forEach(flight -> flight.call.handle((compound, failure) -> null).join());
            flights.clear();
        }
    }

    private Flight launch(long offset, long at, long length, MemorySegment memory, Kind kind) throws IOException {
        MemorySegment piece = memory.asSlice(at, length);
        Answer answer = new Answer();
        return new Flight(at, length, session.start(kind.compound(offset + at, piece, answer), kind.placement(piece)), answer);
    }
}
