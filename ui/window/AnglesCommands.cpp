// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/AnglesCommands.h"

#include "ui/base/Actions.h"
#include "ui/mechanisms/AnglesDialog.h"

namespace headlight {

AnglesCommands::AnglesCommands(Document* document, ModelWorker* inference, QWidget* window)
    : QObject(window), m_document(document), m_inference(inference), m_window(window) {
  m_commands << makeCommand(this,
                            {"model.angles",
                             tr("Angular &kernel…"),
                             tr("Plot Castling-ViT's kernel 1 − θ/π and other kernels over the "
                                "angle, with the queries and keys of the image"),
                             "Ctrl+W, K",
                             {}},
                            [this] { show(); });
}

/// Closed it is hidden: what was chosen is there again.
void AnglesCommands::show() {
  if (!m_dialog) m_dialog = new AnglesDialog(m_document, m_inference, m_window);
  m_dialog->show();
  m_dialog->raise();
  m_dialog->activateWindow();
}

}  // namespace headlight
