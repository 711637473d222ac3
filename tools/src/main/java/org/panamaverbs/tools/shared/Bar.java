package org.panamaverbs.tools.shared;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A progress bar if there is a terminal to show it. */
public final class Bar implements AutoCloseable {
    private final String name;
    private final boolean shown;
    private ProgressBar bar;

    public Bar(String name, boolean quiet) {
        this.name = name;
        shown = !quiet && System.console() != null && System.console().isTerminal();
    }

    public void size(long size) {
        if (shown && size > 0) {
            bar = new ProgressBarBuilder().setTaskName(name).setInitialMax(size).setUnit(" MiB", 1 << 20).showSpeed()
                    .setStyle(ProgressBarStyle.ASCII).setUpdateIntervalMillis(200).build();
        }
    }

    public void at(long bytes) {
        if (bar != null) {
            bar.stepTo(bytes);
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
