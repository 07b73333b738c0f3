// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/SpeedCommands.h"

#include "ui/base/Actions.h"
#include "ui/evaluation/SelfTestDialog.h"
#include "ui/evaluation/SpeedDialog.h"

namespace headlight {
namespace {

void raiseDialog(QDialog* dialog) {
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
}

}  // namespace

SpeedCommands::SpeedCommands(const Document* document, QWidget* window)
    : QObject(window), m_document(document), m_window(window) {
  m_commands << makeCommand(this,
                            {"model.speed",
                             tr("Measure sp&eed…"),
                             tr("Measure throughput and memory of models and mechanisms, and which "
                                "share of a pass attention and other parts take"),
                             "Ctrl+W, B",
                             {}},
                            [this] { showSpeed(); })
             << makeCommand(this,
                            {"model.selftest",
                             tr("Check t&his machine…"),
                             tr("Compare what a device computes with the CPU: kernels, every "
                                "mechanism, 16 bits, two processes, speed and memory"),
                             "Ctrl+W, Y",
                             {}},
                            [this] { showSelfTest(); });
}

/// Closed they are hidden: what was chosen and measured is there again.
void SpeedCommands::showSpeed() {
  if (!m_speed) m_speed = new SpeedDialog(m_document, m_window);
  raiseDialog(m_speed);
}

void SpeedCommands::showSelfTest() {
  if (!m_selfTest) m_selfTest = new SelfTestDialog(m_document, m_window);
  raiseDialog(m_selfTest);
}

}  // namespace headlight
