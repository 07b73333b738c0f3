// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/DeviceBox.h"

#include <QComboBox>
#include <QCompleter>

#include "core/workbench/loading/TorchRuntime.h"

namespace headlight {

QStringList devicesHere() {
  static const bool cuda = computeDescription().find("CUDA") != std::string::npos;
  QStringList devices{QStringLiteral("auto"), QStringLiteral("cpu")};
  if (cuda) devices << QStringLiteral("cuda");
  return devices;
}

QComboBox* makeDeviceBox(QWidget* parent) {
  auto* box = new QComboBox(parent);
  box->setEditable(true);
  box->setInsertPolicy(QComboBox::NoInsert);
  box->setCompleter(nullptr);  // what is typed is what is meant
  box->addItems(devicesHere());
  box->setFocusPolicy(Qt::StrongFocus);
  return box;
}

}  // namespace headlight
