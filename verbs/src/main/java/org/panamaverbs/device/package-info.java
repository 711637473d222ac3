/**
 * Attributes of devices ({@link org.panamaverbs.device.DeviceAttributes}) and ports ({@link org.panamaverbs.device.PortAttributes}), and
 * addresses of ports, queue pairs and the paths between them. All are immutable values.
 */
package org.panamaverbs.device;
