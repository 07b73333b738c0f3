// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/SpeedCommands.h"

#include "ui/base/Actions.h"
#include "ui/evaluation/SpeedDialog.h"

namespace headlight {

SpeedCommands::SpeedCommands(const Document* document, QWidget* window)
    : QObject(window), m_document(document), m_window(window) {
  m_commands << makeCommand(this,
                            {"model.speed",
                             tr("Measure sp&eed…"),
                             tr("Measure throughput and memory of models and mechanisms, and which "
                                "share of a pass attention and other parts take"),
                             "Ctrl+W, B",
                             {}},
                            [this] { show(); });
}

/// Closed it is hidden: what was chosen and measured is there again.
void SpeedCommands::show() {
  if (!m_dialog) m_dialog = new SpeedDialog(m_document, m_window);
  m_dialog->show();
  m_dialog->raise();
  m_dialog->activateWindow();
}

}  // namespace headlight
