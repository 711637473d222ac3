package org.panamaverbs.tools;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.DeviceIdentity;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.ObjectLimits;
import org.panamaverbs.device.PortAttributes;

/** The description that a device gives of itself, by the names of the schema {@code pverbs.devices}: those do not change with the API. */
final class DeviceDescription {
    /** How an identifier that is an IPv4 address begins. */
    private static final String IPV4 = "::ffff:";

    private DeviceDescription() {
    }

    static Map<String, Object> of(Device device) {
        DeviceAttributes attributes = device.attributes();
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("name", device.name());
        described.put("transport", attributes.transport().toString());
        described.put("active", attributes.active());
        described.put("vendor", attributes.vendor());
        described.put("firmware", attributes.firmware());
        described.put("identity", of(attributes.identity()));
        attributes.numaNode().ifPresent(node -> described.put("numaNode", node));
        described.put("maximumQueuePairs", attributes.maximumQueuePairs());
        described.put("maximumWorkRequests", attributes.maximumWorkRequests());
        described.put("maximumScatterGather", attributes.maximumScatterGather());
        described.put("maximumInline", attributes.maximumInline());
        described.put("maximumCompletionQueueEntries", attributes.maximumCompletionQueueEntries());
        described.put("maximumRegions", attributes.maximumRegions());
        described.put("maximumRegionSize", attributes.maximumRegionSize());
        described.put("maximumMessageSize", attributes.maximumMessageSize());
        described.put("maximumInboundReads", attributes.maximumInboundReads());
        described.put("maximumOutboundReads", attributes.maximumOutboundReads());
        described.put("maximumPrivateData", attributes.maximumPrivateData());
        described.put("maximumPinnedMemory", device.pinnedMemory().limit().orElse(Long.MAX_VALUE));
        described.put("objects", of(attributes.objects()));
        described.put("capabilities", Arrays.stream(Capability.values()).filter(device::supports).map(Enum::name).toList());
        described.put("ports", device.ports().stream().map(DeviceDescription::of).toList());
        return described;
    }

    private static Map<String, Object> of(DeviceIdentity identity) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("nodeIdentifier", guid(identity.nodeIdentifier()));
        described.put("systemIdentifier", guid(identity.systemIdentifier()));
        described.put("vendor", String.format("0x%06x", identity.vendor()));
        described.put("part", identity.part());
        described.put("revision", String.format("0x%X", identity.revision()));
        return described;
    }

    private static Map<String, Object> of(ObjectLimits objects) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("completionQueues", objects.completionQueues());
        described.put("protectionDomains", objects.protectionDomains());
        described.put("sharedReceiveQueues", objects.sharedReceiveQueues());
        described.put("sharedReceives", objects.sharedReceives());
        described.put("sharedReceiveElements", objects.sharedReceiveElements());
        described.put("memoryWindows", objects.memoryWindows());
        described.put("addressHandles", objects.addressHandles());
        return described;
    }

    private static Map<String, Object> of(PortAttributes port) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("number", port.number());
        described.put("state", port.state().name());
        described.put("physicalState", port.physicalState());
        described.put("maximumMtu", port.maximumMtu());
        described.put("activeMtu", port.activeMtu());
        described.put("linkLayer", port.linkLayer());
        described.put("maximumMessageSize", port.maximumMessageSize());
        described.put("localIdentifier", port.localIdentifier());
        described.put("subnetManager", port.subnetManager());
        described.put("localIdentifierMask", port.localIdentifierMask());
        described.put("partitionKeys", port.partitionKeys());
        described.put("speed", port.speed());
        described.put("identifiers", port.identifiers().stream().map(GlobalIdentifier::toString).toList());
        return described;
    }

    /** As ibv_devinfo writes it: 1cc3:15ff:fe1b:9682. */
    static String guid(long value) {
        return String.format("%04x:%04x:%04x:%04x", value >>> 48, value >>> 32 & 0xFFFF, value >>> 16 & 0xFFFF, value & 0xFFFF);
    }

    /**
     * The address of a device in a list: the first IP address of a port, or else its first identifier; - if it has none of its own.
     */
    static String address(Map<String, Object> device) {
        List<String> identifiers = ((List<?>) device.get("ports")).stream()
                .flatMap(port -> ((List<?>) ((Map<?, ?>) port).get("identifiers")).stream()).map(Object::toString).toList();
        return identifiers.stream().filter(each -> each.startsWith(IPV4)).map(each -> each.substring(IPV4.length())).findFirst()
                .or(() -> identifiers.stream().findFirst()).orElse("-");
    }

}
