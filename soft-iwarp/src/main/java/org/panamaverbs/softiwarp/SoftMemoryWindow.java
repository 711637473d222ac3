package org.panamaverbs.softiwarp;

import java.util.concurrent.atomic.AtomicBoolean;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.softiwarp.memory.Window;

/** A memory window. */
final class SoftMemoryWindow implements MemoryWindow {
    private final SoftProtectionDomain domain;
    private final Type type;
    private final Window window;
    private final AtomicBoolean closed = new AtomicBoolean();

    SoftMemoryWindow(SoftProtectionDomain domain, Type type, Window window) {
        this.domain = domain;
        this.type = type;
        this.window = window;
    }

    Window window() {
        return window;
    }

    boolean isClosed() {
        return closed.get();
    }

    @Override
    public SoftProtectionDomain domain() {
        return domain;
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public int remoteKey() {
        return window.stag();
    }

    @Override
    public void close() {
        closed.set(true);
        window.close();
        domain.windows().remove(this);
    }
}
