/** The command line {@code pverbs}. */
module org.panamaverbs.tools {
    requires com.fasterxml.jackson.databind;
    requires HdrHistogram;
    requires info.picocli;
    requires java.logging;
    requires java.management;
    requires jdk.management;
    requires org.panamaverbs;
    requires org.panamaverbs.ddp;
    requires org.panamaverbs.nfs;
    requires org.panamaverbs.posix;
    requires org.panamaverbs.rpcrdma;
    requires me.tongfei.progressbar;

    opens org.panamaverbs.tools to info.picocli;
    opens org.panamaverbs.tools.capture to info.picocli;
    opens org.panamaverbs.tools.cast to info.picocli;
    opens org.panamaverbs.tools.copy to info.picocli;
    opens org.panamaverbs.tools.decode to info.picocli;
    opens org.panamaverbs.tools.doctor to info.picocli;
    opens org.panamaverbs.tools.nfs to info.picocli;
    opens org.panamaverbs.tools.perf to info.picocli;
    opens org.panamaverbs.tools.ping to info.picocli;
    opens org.panamaverbs.tools.shared to info.picocli;
}
