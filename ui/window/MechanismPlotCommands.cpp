// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/MechanismPlotCommands.h"

#include "ui/base/Actions.h"
#include "ui/bridge/MechanismPlotBridge.h"
#include "ui/mechanisms/MechanismPlotDialog.h"

namespace headlight {

MechanismPlotCommands::MechanismPlotCommands(Document* document, ModelWorker* inference,
                                             QWidget* window)
    : QObject(window),
      m_document(document),
      m_window(window),
      m_bridge(new MechanismPlotBridge(document, inference, this)),
      m_command(makeCommand(this,
                            {"model.own",
                             tr("Mechan&ism plots…"),
                             tr("Show position biases, kernels, masks and filters, and attention "
                                "before and after a bias, for AFT, IBiT's learned masks and LSLA"),
                             "Ctrl+W, M",
                             {}},
                            [this] { show(); })) {
  m_command->setStatusTip(m_command->toolTip());
  m_commands << m_command;
  connect(m_bridge, &MechanismPlotBridge::offersChanged, this, &MechanismPlotCommands::refresh);
  refresh();
}

/// Says why it is off where that is the model's fault.
void MechanismPlotCommands::refresh() {
  const bool any = !m_bridge->offers().empty();
  m_command->setEnabled(any);
  m_command->setToolTip(any || !m_document->inputs().hasModel()
                            ? m_command->statusTip()
                            : tr("This model's mechanism has no plots of its own; AFT, IBiT's "
                                 "learned masks and LSLA do."));
}

/// Closed it is hidden: what was chosen is there again.
void MechanismPlotCommands::show() {
  if (!m_dialog) m_dialog = new MechanismPlotDialog(m_document, m_bridge, m_window);
  m_dialog->show();
  m_dialog->raise();
  m_dialog->activateWindow();
}

}  // namespace headlight
