// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A choice of devices; another device ("cuda:1") can be typed.

#include <QStringList>

class QComboBox;
class QWidget;

namespace headlight {

/// "auto", "cpu", and "cuda" where LibTorch finds one.
QStringList devicesHere();

QComboBox* makeDeviceBox(QWidget* parent);

}  // namespace headlight
