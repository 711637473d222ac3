package org.panamaverbs.tools;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.DeviceIdentity;
import org.panamaverbs.GlobalIdentifier;

/** What a device says of itself, by names: those of the API, which do not change. */
final class DeviceDescription {
    private DeviceDescription() {
    }

    static Map<String, Object> of(Device device) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("name", device.name());
        described.putAll(of(device.attributes()));
        described.put("capabilities", Arrays.stream(Capability.values()).filter(device::supports).map(Enum::name).toList());
        described.put("ports", device.ports().stream().map(DeviceDescription::of).toList());
        return described;
    }

    private static Map<String, Object> of(Record attributes) {
        Map<String, Object> described = new LinkedHashMap<>();
        for (RecordComponent component : attributes.getClass().getRecordComponents()) {
            try {
                described.put(component.getName(), value(component.getAccessor().invoke(attributes)));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return described;
    }

    private static Object value(Object value) {
        return switch (value) {
            case DeviceIdentity identity -> identity(identity);
            case GlobalIdentifier identifier -> identifier.toString();
            case Record record -> of(record);
            case Enum<?> constant -> constant.name();
            case List<?> list -> list.stream().map(DeviceDescription::value).toList();
            default -> value;
        };
    }

    private static Map<String, Object> identity(DeviceIdentity identity) {
        Map<String, Object> described = of((Record) identity);
        described.put("nodeIdentifier", guid(identity.nodeIdentifier()));
        described.put("systemIdentifier", guid(identity.systemIdentifier()));
        described.put("vendor", String.format("0x%06x", identity.vendor()));
        described.put("revision", String.format("0x%X", identity.revision()));
        return described;
    }

    /** As ibv_devinfo writes it: 1cc3:15ff:fe1b:9682. */
    static String guid(long value) {
        return String.format("%04x:%04x:%04x:%04x", value >>> 48, value >>> 32 & 0xFFFF, value >>> 16 & 0xFFFF, value & 0xFFFF);
    }
}
