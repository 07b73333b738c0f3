// Every command of the window: its words, its keys, what it does. Menus are made from the list.

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QMenuBar>
#include <QTabWidget>

#include "ui/base/Icons.h"
#include "ui/base/MessageLog.h"
#include "ui/base/Theme.h"
#include "ui/maps/Canvas.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/masks/MaskPanel.h"
#include "ui/opening/GalleryDock.h"
#include "ui/training/EvolutionBar.h"
#include "ui/training/TrainingDock.h"
#include "ui/window/AboutDialogs.h"
#include "ui/window/CommandPalette.h"
#include "ui/window/HelpBrowser.h"
#include "ui/window/MainWindow.h"

namespace headlight {
namespace {

void setIcon(Actions* actions, const char* id, const char* icon) {
  actions->find(QLatin1String(id))->setIcon(lineIcon(QLatin1String(icon)));
}

}  // namespace

void MainWindow::buildCommands() {
  addFileCommands();
  addEditCommands();
  addModelCommands();
  addMaskCommands();
  addTrainCommands();
  addViewCommands();
  addColorCommands();
  addThemeCommands();
  addHelpCommands();
  buildMenus();
}

void MainWindow::addFileCommands() {
  const QString menu = tr("File");
  m_actions->add(menu, "file.open", tr("&Open…"),
                 tr("Open pictures, checkpoints, configs, mask schemes or sessions"),
                 keys("Ctrl+O"), [this] { chooseFiles(); });
  m_actions->add(menu, "file.openFolder", tr("Open &folder…"),
                 tr("Open a folder of pictures, a dataset or a training run"), keys("Ctrl+Shift+O"),
                 [this] { chooseFolder(); });
  m_actions->add(menu, "file.next", tr("&Next picture"), tr("Open the next picture of the gallery"),
                 keys("Ctrl+PgDown"), [this] { m_galleryDock->step(1); });
  m_actions->add(menu, "file.previous", tr("&Previous picture"),
                 tr("Open the previous picture of the gallery"), keys("Ctrl+PgUp"),
                 [this] { m_galleryDock->step(-1); });
  m_actions->add(menu, "file.exportFigure", tr("Export f&igure…"),
                 tr("Save what the tab shows as PNG, SVG or PDF; a PNG carries the session"),
                 keys("Ctrl+E"), [this] { exportFigure(); });
  m_actions->add(menu, "file.exportConfig", tr("Export &config…"),
                 tr("Save model, masks, data and training settings for headlight-cli train"),
                 keys("Ctrl+Shift+E"), [this] {
                   const auto run = m_training->isRunning() ? m_training->exported() : std::nullopt;
                   exportConfig(run ? *run : trainingExperiment(), this);
                 });
  m_actions->add(menu, "file.openSession", tr("Open &session…"),
                 tr("Restore a saved session, or the one that a PNG figure carries"),
                 keys("Ctrl+Alt+O"), [this] { openSessionFile(); });
  m_actions->add(menu, "file.saveSession", tr("Save session &as…"),
                 tr("Save everything the window shows; it is also kept by itself"),
                 keys("Ctrl+Shift+S"), [this] { saveSessionAs(); });
  m_actions->add(menu, "file.previousSession", tr("&Go back to the previous session"),
                 tr("Restore what the window showed before the last session was opened"),
                 keys("Ctrl+Alt+Z"), [this] { restorePrevious(); });
  m_actions->add(menu, "file.quit", tr("&Quit"), tr("Save the session and close the window"),
                 keys("Ctrl+Q"), [this] { close(); });
  setIcon(m_actions, "file.open", "open");
  setIcon(m_actions, "file.openFolder", "folder");
  setIcon(m_actions, "file.exportFigure", "image");
  setIcon(m_actions, "file.exportConfig", "export");
}

void MainWindow::addEditCommands() {
  const QString menu = tr("Edit");
  QAction* undo = m_maskPanel->undoAction();
  QAction* redo = m_maskPanel->redoAction();
  undo->setToolTip(tr("Take back the last mask edit"));
  redo->setToolTip(tr("Make the mask edit again that was taken back"));
  m_actions->adopt(menu, "edit.undo", undo, keys("Ctrl+Z"));
  m_actions->adopt(menu, "edit.redo", redo, keys("Ctrl+Shift+Z"));
  m_actions->add(menu, "edit.copyPicture", tr("&Copy picture"),
                 tr("Copy what the tab shows to the clipboard"), keys("Ctrl+Shift+C"),
                 [this] { copyPicture(); });
  m_actions->add(menu, "edit.palette", tr("Command &palette…"),
                 tr("Find any command by a few letters"), keys("Ctrl+Shift+P"),
                 [this] { m_palette->open(); });
  m_actions->add(menu, "edit.closeNotices", tr("Close &notices"), tr("Close all notices"),
                 keys("Ctrl+Shift+X"), [this] { m_notices->closeAll(); });
  setIcon(m_actions, "edit.palette", "search");
}

void MainWindow::addModelCommands() {
  const QString menu = tr("Model");
  m_actions->add(menu, "model.choose", tr("&Choose model…"),
                 tr("A published model, or a shape of your own, with or without weights"),
                 keys("Ctrl+M"), [this] { chooseModel(); });
  m_actions->add(menu, "model.demo", tr("Open the &demo model"),
                 tr("The trained model that comes with Headlight"), keys("Ctrl+Shift+D"),
                 [this] { openDemo(); });
  m_actions->add(menu, "model.load", tr("&Load weights…"),
                 tr("Load a checkpoint into this model; a report of what fits comes first"),
                 keys("Ctrl+L"), [this] { chooseWeights(); });
  m_actions->add(menu, "model.save", tr("&Save weights as…"),
                 tr("Save weights, class names and masks as safetensors"), keys("Ctrl+S"),
                 [this] { saveWeights(); });
  m_actions->add(menu, "model.about", tr("&About this model"),
                 tr("Shape, size, where its weights come from, what did not fit"), keys("Ctrl+I"),
                 [this] { showModelInfo(*m_document, this); });
  m_actions->add(menu, "model.sequences", tr("Se&quence models…"),
                 tr("Train a causal AFT on pictures or text; complete pictures, continue text"),
                 keys("Ctrl+Alt+S"), [this] { showSequences(); });
  setIcon(m_actions, "model.choose", "model");
  setIcon(m_actions, "model.load", "weights");
  setIcon(m_actions, "model.save", "save");
  setIcon(m_actions, "model.about", "info");
}

void MainWindow::addMaskCommands() {
  const QString menu = tr("Masks");
  int preset = 0;
  for (QAction* action : m_maskPanel->commands()) {
    const QString id = action->objectName();
    if (id.startsWith(QStringLiteral("edit."))) continue;
    // The presets are numbered in the order of the panel: Ctrl+K, 0 takes all masks away.
    QKeySequence shortcut;
    if (id.startsWith(QStringLiteral("masks.preset.")))
      shortcut = QKeySequence(QStringLiteral("Ctrl+K, %1").arg(preset++));
    else if (id == QStringLiteral("masks.resetAlpha"))
      shortcut = keys("Ctrl+K, A");
    else if (id == QStringLiteral("masks.load"))
      shortcut = keys("Ctrl+K, O");
    else if (id == QStringLiteral("masks.save"))
      shortcut = keys("Ctrl+K, S");
    m_actions->adopt(menu, id, action, shortcut);
  }
  m_actions->add(menu, "masks.focus", tr("&Edit masks by keyboard"),
                 tr("Put the focus into the mask matrix"), keys("Ctrl+K, M"), [this] {
                   m_docks[1]->show();
                   m_maskPanel->matrix()->setFocus(Qt::ShortcutFocusReason);
                 });
}

void MainWindow::addTrainCommands() {
  const QString menu = tr("Train");
  m_actions->adopt(menu, "train.start", m_trainingDock->startAction(), keys("Ctrl+T"));
  m_actions->adopt(menu, "train.pause", m_trainingDock->pauseAction(), keys("Ctrl+Shift+T"));
  m_actions->adopt(menu, "train.stop", m_trainingDock->stopAction(), keys("Ctrl+Alt+T"));
  m_actions->add(menu, "train.resume", tr("&Resume a run…"),
                 tr("Go on with a training run from its last checkpoint, exactly as if it had "
                    "never stopped"),
                 keys("Ctrl+R"), [this] { chooseRunToResume(); });
  m_actions->adopt(menu, "train.followEdits", m_trainingDock->followEditsAction(),
                   keys("Ctrl+Alt+E"));
  m_actions->adopt(menu, "train.lookThrough", m_trainingDock->lookThroughAction(),
                   keys("Ctrl+Alt+W"));
  m_actions->adopt(menu, "train.showLearningRate", m_trainingDock->learningRateAction(),
                   keys("Ctrl+Alt+R"));
  const EvolutionBar* evolution = m_trainingDock->evolution();
  m_actions->adopt(menu, "train.evolutionEarlier", evolution->earlierAction(),
                   keys("Ctrl+H, Left"));
  m_actions->adopt(menu, "train.evolutionLater", evolution->laterAction(), keys("Ctrl+H, Right"));
  m_actions->adopt(menu, "train.evolutionLive", evolution->liveAction(), keys("Ctrl+H, End"));
}

void MainWindow::addHelpCommands() {
  const QString menu = tr("Help");
  m_actions->add(menu, "help.contents", tr("&Help"), tr("How Headlight is used"), keys("F1"),
                 [this] { showHelp(QStringLiteral("index")); });
  m_actions->add(menu, "help.shortcuts", tr("&Keyboard shortcuts"),
                 tr("Every command and its keys"), keys("Shift+F1"),
                 [this] { showHelp(QStringLiteral("shortcuts")); });
  m_actions->add(menu, "help.messages", tr("&Messages"), tr("What Headlight has said so far"),
                 keys("Ctrl+Shift+J"), [this] { showMessages(m_log, this); });
  m_actions->add(menu, "help.about", tr("&About Headlight"), tr("Version and licence"),
                 keys("Ctrl+F1"), [this] { showAbout(this); });
  setIcon(m_actions, "help.contents", "help");
}

void MainWindow::buildMenus() {
  for (const QString& category : m_actions->categories()) {
    QMenu* menu = menuBar()->addMenu(QLatin1Char('&') + category);
    menu->setToolTipsVisible(true);
    QString group;
    for (const Command& command : m_actions->commands()) {
      if (command.category != category) continue;
      // view.tab.canvas, view.dock.masks, view.colors.jet: each kind stands apart.
      const QStringList parts = command.id().split(QLatin1Char('.'));
      const QString now = parts.size() > 2 ? parts[1] : QString();
      if (now != group && !menu->isEmpty()) menu->addSeparator();
      group = now;
      if (command.id() == QStringLiteral("file.quit")) menu->addSeparator();
      menu->addAction(command.action);
    }
  }
}

void MainWindow::updateCommands() {
  const bool model = m_document->hasModel();
  const bool picture = model && m_document->hasImage();
  for (const char* id : {"model.load", "model.save", "model.about", "file.exportConfig",
                         "file.saveSession", "masks.focus"})
    m_actions->find(QLatin1String(id))->setEnabled(model);
  for (const char* id : {"file.exportFigure", "edit.copyPicture"})
    m_actions->find(QLatin1String(id))->setEnabled(picture);
  m_actions->find(QStringLiteral("view.classToken"))
      ->setEnabled(model && m_document->model().grid.prefix > 0);
  const auto look = m_document->look();
  m_actions->find(QStringLiteral("view.nextShown"))->setEnabled(look && !look->learned.empty());
  m_actions->find(QStringLiteral("train.resume"))->setEnabled(!m_training->isRunning());
}

HelpBrowser* MainWindow::showHelp(const QString& page) {
  if (!m_help) {
    m_help = new HelpBrowser(m_actions, this);
    m_help->setAttribute(Qt::WA_DeleteOnClose);
  }
  m_help->showPage(page);
  m_help->show();
  m_help->raise();
  m_help->activateWindow();
  return m_help;
}

}  // namespace headlight
