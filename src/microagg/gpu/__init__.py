"""Kernels for a device, and what calls them; CuPy is not imported before a device is asked for."""

from __future__ import annotations

from microagg.gpu.device import CPU, CUDA, DEVICES, Device, check_alone, check_device, open_device

__all__ = ["CPU", "CUDA", "DEVICES", "Device", "check_alone", "check_device", "open_device"]
