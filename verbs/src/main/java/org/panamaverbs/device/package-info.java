/**
 * What a device and its ports say of themselves ({@link org.panamaverbs.device.DeviceAttributes},
 * {@link org.panamaverbs.device.PortAttributes}), and the addresses of ports, queue pairs and the paths between them. All are immutable
 * values.
 */
package org.panamaverbs.device;
