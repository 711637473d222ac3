package org.panamaverbs.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.testing.headers.HeaderAssertions;

/**
 * The layouts and constants of libc, held against the C headers of this machine by a compiler: that of x86_64, for which the bindings were
 * generated, and that of aarch64. What differs between the two is in {@link Processor}.
 */
class HeadersTest {
    private static String headers() {
        try {
            return "#include <stddef.h>\n"
                    + Files.readString(Path.of(System.getProperty("basedir", "."), "..", "bindings", "src", "main", "jextract", "libc.h"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assumeX86() {
        assumeTrue("amd64".equals(System.getProperty("os.arch")), "cc is asked for x86_64");
    }

    @Test
    void shouldHaveBindingsOfTheHeadersOfX86() {
        assumeX86();
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.HERE, headers(), HeaderAssertions.assertions(Libc.class)));
    }

    @Test
    void shouldKnowAllThatDiffersOnAarch64() {
        assumeX86();
        assertEquals(
                Set.of("O_DIRECTORY", "O_NOFOLLOW", "O_TMPFILE", "SYS_readv", "SYS_writev", "offsetof(struct epoll_event, data)",
                        "sizeof(struct epoll_event)"),
                HeaderAssertions.differences(HeaderAssertions.AARCH64, headers(), HeaderAssertions.assertions(Libc.class)));
    }

    @Test
    void shouldHaveTheNumbersOfX86() {
        assumeX86();
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.HERE, headers(), assertions(Processor.X86_64)));
    }

    @Test
    void shouldHaveTheNumbersOfAarch64() {
        assumeX86();
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.AARCH64, headers(), assertions(Processor.AARCH64)));
    }

    @Test
    void shouldHaveTheConstantsOfSharedMemoryOfBoth() {
        assumeX86();
        List<String> assertions = new ArrayList<>();
        HeaderAssertions.add(assertions, "F_SEAL_SHRINK", SharedMemoryCalls.F_SEAL_SHRINK);
        HeaderAssertions.add(assertions, "F_SEAL_GROW", SharedMemoryCalls.F_SEAL_GROW);
        HeaderAssertions.add(assertions, "F_SEAL_SEAL", SharedMemoryCalls.F_SEAL_SEAL);
        HeaderAssertions.add(assertions, "F_ADD_SEALS", SharedMemoryCalls.F_ADD_SEALS);
        HeaderAssertions.add(assertions, "F_GET_SEALS", SharedMemoryCalls.F_GET_SEALS);
        HeaderAssertions.add(assertions, "MFD_CLOEXEC", SharedMemoryCalls.MFD_CLOEXEC);
        HeaderAssertions.add(assertions, "MFD_ALLOW_SEALING", SharedMemoryCalls.MFD_ALLOW_SEALING);
        HeaderAssertions.add(assertions, "PROT_READ | PROT_WRITE", SharedMemoryCalls.PROT_READ_WRITE);
        HeaderAssertions.add(assertions, "MAP_SHARED", SharedMemoryCalls.MAP_SHARED);
        HeaderAssertions.add(assertions, "SEEK_END", SharedMemoryCalls.SEEK_END);
        HeaderAssertions.add(assertions, "AF_UNIX", SharedMemoryCalls.AF_UNIX);
        HeaderAssertions.add(assertions, "sizeof(struct sockaddr_un)", SharedMemoryCalls.ADDRESS_SIZE);
        HeaderAssertions.add(assertions, "offsetof(struct sockaddr_un, sun_path)", SharedMemoryCalls.PATH_OFFSET);
        HeaderAssertions.add(assertions, "SCM_RIGHTS", SharedMemoryCalls.SCM_RIGHTS);
        HeaderAssertions.add(assertions, "MSG_CTRUNC", SharedMemoryCalls.MSG_CTRUNC);
        HeaderAssertions.add(assertions, "MSG_CMSG_CLOEXEC", SharedMemoryCalls.MSG_CMSG_CLOEXEC);
        HeaderAssertions.add(assertions, "SO_PEERCRED", SharedMemoryCalls.SO_PEERCRED);
        HeaderAssertions.add(assertions, "sizeof(struct ucred)", SharedMemoryCalls.CREDENTIALS_SIZE);
        HeaderAssertions.add(assertions, "offsetof(struct ucred, uid)", SharedMemoryCalls.USER_OFFSET);
        HeaderAssertions.add(assertions, "CMSG_SPACE(sizeof(int))", SharedMemoryCalls.CONTROL_SIZE);
        HeaderAssertions.add(assertions, "CMSG_LEN(sizeof(int))", SharedMemoryCalls.CONTROL_LENGTH);
        HeaderAssertions.add(assertions, "offsetof(struct cmsghdr, cmsg_level)", SharedMemoryCalls.LEVEL_OFFSET);
        HeaderAssertions.add(assertions, "offsetof(struct cmsghdr, cmsg_type)", SharedMemoryCalls.TYPE_OFFSET);
        String headers = """
                #define _GNU_SOURCE
                #include <stddef.h>
                #include <fcntl.h>
                #include <stdio.h>
                #include <unistd.h>
                #include <sys/mman.h>
                #include <sys/socket.h>
                #include <sys/un.h>
                """;
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.HERE, headers, assertions));
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.AARCH64, headers, assertions));
    }

    @Test
    void shouldHaveTheConstantsOfRoutesOfBoth() {
        assumeX86();
        List<String> assertions = new ArrayList<>();
        HeaderAssertions.add(assertions, "AF_NETLINK", RouteCalls.AF_NETLINK);
        HeaderAssertions.add(assertions, "SOCK_RAW", RouteCalls.SOCK_RAW);
        HeaderAssertions.add(assertions, "NETLINK_ROUTE", RouteCalls.NETLINK_ROUTE);
        HeaderAssertions.add(assertions, "sizeof(struct sockaddr_nl)", RouteCalls.ADDRESS_SIZE);
        HeaderAssertions.add(assertions, "sizeof(struct nlmsghdr)", RouteCalls.HEADER_SIZE);
        HeaderAssertions.add(assertions, "offsetof(struct nlmsghdr, nlmsg_type)", RouteCalls.TYPE_OFFSET);
        HeaderAssertions.add(assertions, "offsetof(struct nlmsghdr, nlmsg_flags)", RouteCalls.FLAGS_OFFSET);
        HeaderAssertions.add(assertions, "NLM_F_REQUEST", RouteCalls.NLM_F_REQUEST);
        HeaderAssertions.add(assertions, "RTM_NEWROUTE", RouteCalls.RTM_NEWROUTE);
        HeaderAssertions.add(assertions, "RTM_GETROUTE", RouteCalls.RTM_GETROUTE);
        HeaderAssertions.add(assertions, "sizeof(struct rtmsg)", RouteCalls.ROUTE_SIZE);
        HeaderAssertions.add(assertions, "offsetof(struct rtmsg, rtm_dst_len)", RouteCalls.DESTINATION_LENGTH_OFFSET);
        HeaderAssertions.add(assertions, "offsetof(struct rtmsg, rtm_src_len)", RouteCalls.SOURCE_LENGTH_OFFSET);
        HeaderAssertions.add(assertions, "offsetof(struct rtmsg, rtm_type)", RouteCalls.ROUTE_TYPE_OFFSET);
        HeaderAssertions.add(assertions, "RTN_LOCAL", RouteCalls.RTN_LOCAL);
        HeaderAssertions.add(assertions, "sizeof(struct rtattr)", RouteCalls.ATTRIBUTE_SIZE);
        HeaderAssertions.add(assertions, "RTA_DST", RouteCalls.RTA_DST);
        HeaderAssertions.add(assertions, "RTA_SRC", RouteCalls.RTA_SRC);
        HeaderAssertions.add(assertions, "RTA_OIF", RouteCalls.RTA_OIF);
        String headers = """
                #include <stddef.h>
                #include <sys/socket.h>
                #include <linux/netlink.h>
                #include <linux/rtnetlink.h>
                """;
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.HERE, headers, assertions));
        assertEquals(Set.of(), HeaderAssertions.differences(HeaderAssertions.AARCH64, headers, assertions));
    }

    private static List<String> assertions(Processor processor) {
        List<String> assertions = new ArrayList<>();
        HeaderAssertions.add(assertions, "sizeof(struct epoll_event)", processor.epollEventSize());
        HeaderAssertions.add(assertions, "offsetof(struct epoll_event, data)", processor.epollEventData());
        HeaderAssertions.add(assertions, "O_DIRECTORY", processor.directory());
        HeaderAssertions.add(assertions, "O_NOFOLLOW", processor.noFollow());
        HeaderAssertions.add(assertions, "O_TMPFILE", FileCalls.unnamed(processor));
        HeaderAssertions.add(assertions, "SYS_recvfrom", processor.recvfrom());
        HeaderAssertions.add(assertions, "SYS_sendto", processor.sendto());
        HeaderAssertions.add(assertions, "SYS_readv", processor.readv());
        HeaderAssertions.add(assertions, "SYS_writev", processor.writev());
        HeaderAssertions.add(assertions, "SYS_recvmsg", processor.recvmsg());
        HeaderAssertions.add(assertions, "SYS_recvmmsg", processor.recvmmsg());
        HeaderAssertions.add(assertions, "SYS_sendmmsg", processor.sendmmsg());
        return assertions;
    }
}
