// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/HelpCommands.h"

#include <QWidget>

#include "ui/base/Actions.h"
#include "ui/document/Document.h"
#include "ui/window/AboutDialogs.h"
#include "ui/window/HelpBrowser.h"

namespace headlight {

HelpCommands::HelpCommands(Document* document, const Actions* actions, MessageLog* log,
                           QWidget* window)
    : QObject(window), m_actions(actions), m_window(window) {
  m_aboutModel = makeCommand(
      this,
      {"model.about", tr("&About this model"),
       tr("Show dimensions, size, the source of the weights, and which weights did not fit"),
       "Ctrl+I", "info"},
      [this, document] { showModelInfo(*document, m_window); });
  m_aboutModel->setEnabled(false);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this,
          [this, document] { m_aboutModel->setEnabled(document->inputs().hasModel()); });
  m_commands << makeCommand(
      this, {"help.contents", tr("&Help"), tr("Open the help pages"), "F1; Ctrl+F1", "help"},
      [this] { showPage(QStringLiteral("index")); });
  m_commands << makeCommand(this,
                            {"help.shortcuts",
                             tr("&Keyboard shortcuts"),
                             tr("List every command and its keys"),
                             "Shift+F1",
                             {}},
                            [this] { showPage(QStringLiteral("shortcuts")); });
  m_commands << makeCommand(this,
                            {"help.messages",
                             tr("&Messages"),
                             tr("Show all messages since the start"),
                             "Ctrl+Shift+J",
                             {}},
                            [this, log] { showMessages(log, m_window); });
  m_commands << makeCommand(
      this,
      {"help.about", tr("&About Headlight"), tr("Show version and license"), "Ctrl+Shift+F1", {}},
      [this] { showAbout(m_window); });
}

HelpBrowser* HelpCommands::showPage(const QString& page) {
  if (!m_browser) {
    m_browser = new HelpBrowser(m_actions, m_window);
    m_browser->setAttribute(Qt::WA_DeleteOnClose);
  }
  m_browser->showPage(page);
  m_browser->show();
  m_browser->raise();
  m_browser->activateWindow();
  return m_browser;
}

}  // namespace headlight
