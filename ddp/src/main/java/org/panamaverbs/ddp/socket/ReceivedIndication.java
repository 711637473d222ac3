package org.panamaverbs.ddp.socket;

import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.Indication;
import org.panamaverbs.ddp.RegisteredBuffer;
import org.panamaverbs.ddp.buffers.IndicationTaker;

/** An indication that is filled again and again. */
final class ReceivedIndication implements Indication, IndicationTaker {
    private Kind kind = Kind.NONE;
    private int messageId;
    private RegisteredBuffer buffer;
    private long offset;
    private long length;
    private int queue;
    private int octet;
    private int word;
    private InetSocketAddress source;
    private VerbsException failure;

    @Override
    public void message(RegisteredBuffer into, long at, long size, int number, int ulpOctet, int ulpWord, Object from) {
        fill(Kind.MESSAGE, from);
        buffer = into;
        offset = at;
        length = size;
        queue = number;
        octet = ulpOctet;
        word = ulpWord;
    }

    @Override
    public void notification(int id, int ulpOctet, Object from) {
        fill(Kind.NOTIFICATION, from);
        messageId = id;
        octet = ulpOctet;
    }

    @Override
    public void end(VerbsException reason, Object from) {
        fill(reason == null ? Kind.END : Kind.ERROR, from);
        failure = reason;
    }

    private void fill(Kind of, Object from) {
        kind = of;
        source = (InetSocketAddress) from;
        buffer = null;
        failure = null;
        queue = 0;
        octet = 0;
        word = 0;
    }

    private void require(Kind wanted) {
        if (kind != wanted) {
            throw new IllegalStateException("the indication is of kind " + kind + ", not " + wanted);
        }
    }

    @Override
    public Kind kind() {
        return kind;
    }

    @Override
    public int messageId() {
        require(Kind.NOTIFICATION);
        return messageId;
    }

    @Override
    public RegisteredBuffer buffer() {
        require(Kind.MESSAGE);
        return buffer;
    }

    @Override
    public long offset() {
        require(Kind.MESSAGE);
        return offset;
    }

    @Override
    public long length() {
        require(Kind.MESSAGE);
        return length;
    }

    @Override
    public InetSocketAddress source() {
        if (kind == Kind.NONE) {
            throw new IllegalStateException("the indication is empty: receive something with it first");
        }
        return source;
    }

    @Override
    public int ulpOctet() {
        return octet;
    }

    @Override
    public int ulpWord() {
        return word;
    }

    @Override
    public int queue() {
        return queue;
    }

    @Override
    public VerbsException failure() {
        require(Kind.ERROR);
        return failure;
    }
}
