// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/SideChooser.h"

#include <QDir>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMimeData>

#include "core/workbench/hub/HubFolder.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/session/SchemeLibrary.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/CompareLoader.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/document/RecentPaths.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

constexpr int kMostPictures = 24;  ///< of the gallery in the menu; others by their file
constexpr int kMostRuns = 3, kMostCheckpoints = 12;
constexpr int kArrow = 22;  ///< what a button's frame and arrow take of its width

QString fileOf(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  return displayName(name.isEmpty() ? path : name);
}

/// Nothing in a name is an accelerator.
QString inMenu(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString masksText(const CompareSide& side, const Document& window) {
  switch (side.masks) {
    case SideMasks::Present:
      return SideChooser::tr("as they are");
    case SideMasks::Reference:
      return window.referenceMasks() ? window.describeReference()
                                     : SideChooser::tr("none: no edit yet");
    case SideMasks::Unmasked:
      return SideChooser::tr("none");
    case SideMasks::Own:
      return SideChooser::tr("the model's own");
    case SideMasks::Named:
      break;
  }
  return fileOf(side.scheme);
}

/// What the button shows of the menu's choices.
bool isShown(const CompareSide& side, SideMasks masks, const QString& scheme) {
  return side.masks == masks && (masks != SideMasks::Named || side.scheme == scheme);
}

}  // namespace

ChoiceButton::ChoiceButton(const QString& name, const QString& title, QWidget* parent)
    : QToolButton(parent), m_title(title) {
  setObjectName(name);
  setPopupMode(QToolButton::InstantPopup);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  setMenu(new QMenu(this));
}

void ChoiceButton::setChoice(const QString& text, const QString& brief) {
  m_choice = text;
  m_brief = brief;
  setAccessibleName(m_title + QStringLiteral(": ") + text);
  setToolTip(plainToolTip(accessibleName()));
  shorten();
}

void ChoiceButton::shorten() {
  const int room = width() - kArrow;
  const bool fits = m_brief.isEmpty() || fontMetrics().horizontalAdvance(m_choice) <= room;
  setText(inMenu(fontMetrics().elidedText(fits ? m_choice : m_brief, Qt::ElideRight, room)));
}

void ChoiceButton::resizeEvent(QResizeEvent* event) {
  QToolButton::resizeEvent(event);
  shorten();
}

SideChooser::SideChooser(const QString& title, Document* window, CompareLoader* bridge,
                         const CompareSideOffers& offers, QWidget* parent)
    : QWidget(parent), m_window(window), m_bridge(bridge), m_offers(offers) {
  setObjectName(QStringLiteral("compare.%1").arg(title));
  setAccessibleName(tr("What the %1 side shows").arg(title));
  setAcceptDrops(true);
  m_model = new ChoiceButton(objectName() + QStringLiteral(".model"), tr("Model"), this);
  m_masks = new ChoiceButton(objectName() + QStringLiteral(".masks"), tr("Masks"), this);
  m_picture = new ChoiceButton(objectName() + QStringLiteral(".picture"), tr("Picture"), this);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  for (ChoiceButton* button : {m_model, m_masks, m_picture})
    layout->addWidget(button, button == m_masks ? 4 : 3);
  connect(m_model->menu(), &QMenu::aboutToShow, this, &SideChooser::fillModels);
  connect(m_masks->menu(), &QMenu::aboutToShow, this, &SideChooser::fillMasks);
  connect(m_picture->menu(), &QMenu::aboutToShow, this, &SideChooser::fillPictures);
  for (const auto signal :
       {&Document::modelChanged, &Document::masksChanged, &Document::referenceChanged})
    connect(window, signal, this, &SideChooser::readSide);
  readSide();
}

void SideChooser::readSide() {
  const CompareSide& side = m_bridge->side();
  if (side.model.isEmpty())
    m_model->setChoice(tr("this model"), tr("model"));
  else
    m_model->setChoice(fileOf(side.model));
  m_masks->setChoice(masksText(side, *m_window));
  if (side.picture.isEmpty())
    m_picture->setChoice(tr("this picture"), tr("picture"));
  else
    m_picture->setChoice(ImageBridge::nameOf(side.picture));
}

// ---- The menus ---------------------------------------------------------------------------------

void SideChooser::addModel(const QString& text, const QString& model) {
  QAction* action =
      m_model->menu()->addAction(inMenu(text), this, [this, model] { chooseModel(model); });
  action->setCheckable(true);
  action->setChecked(model == m_bridge->side().model);
}

/// The window's masks are for the window's model.
void SideChooser::chooseModel(const QString& model) {
  CompareSide side = m_bridge->side();
  if (model == side.model) return;
  side.model = model;
  side.masks = model.isEmpty() ? SideMasks::Present : SideMasks::Own;
  Q_EMIT chosen(side);
}

/// The steps of a run that it keeps weights of.
void SideChooser::addCheckpointsOf(const QString& run) {
  const QDir folder(run);
  const QStringList files =
      folder.entryList({QStringLiteral("*.safetensors")}, QDir::Files, QDir::Name);
  for (const QString& file : files.mid(0, kMostCheckpoints))
    addModel(tr("run “%1”: %2").arg(fileOf(run), displayName(QFileInfo(file).completeBaseName())),
             folder.filePath(file));
}

void SideChooser::fillModels() {
  m_model->menu()->clear();
  addModel(tr("This model"), {});
  if (m_offers.recent) {
    m_model->menu()->addSeparator();
    for (const QString& model : m_offers.recent->of(RecentKind::Model))
      addModel(fileOf(model), model);
    m_model->menu()->addSeparator();
    for (const QString& run : m_offers.recent->of(RecentKind::Run).mid(0, kMostRuns))
      addCheckpointsOf(run);
  }
  m_model->menu()->addSeparator();
  m_model->menu()->addAction(tr("A checkpoint, or a run's…"), this, [this] {
    askForFile(tr("Model to compare with"),
               tr("Checkpoints and configs (*.safetensors *.pth *.json);;All files (*)"),
               [](CompareSide& side, const QString& path) {
                 side.model = path;
                 side.masks = SideMasks::Own;
               });
  });
}

void SideChooser::addMasks(const QString& text, SideMasks masks, const QString& scheme) {
  QAction* action = m_masks->menu()->addAction(inMenu(text), this, [this, masks, scheme] {
    CompareSide side = m_bridge->side();
    side.masks = masks;
    side.scheme = scheme;
    Q_EMIT chosen(side);
  });
  action->setCheckable(true);
  action->setChecked(isShown(m_bridge->side(), masks, scheme));
}

void SideChooser::fillMasks() {
  m_masks->menu()->clear();
  addMasks(tr("As they are in the window"), SideMasks::Present);
  addMasks(tr("What the Masks menu compares with: %1").arg(m_window->describeReference()),
           SideMasks::Reference);
  addMasks(tr("None"), SideMasks::Unmasked);
  addMasks(tr("As the model came with"), SideMasks::Own);
  m_masks->menu()->addSeparator();
  for (const char* preset : {"sch1", "sch2", "sch3"})
    addMasks(QLatin1String(preset), SideMasks::Named, QLatin1String(preset));
  if (const auto names = SchemeLibrary(SchemeLibrary::defaultFolder()).names())
    for (const std::string& name : *names)
      addMasks(displayName(name), SideMasks::Named, QString::fromStdString(name));
  m_masks->menu()->addSeparator();
  m_masks->menu()->addAction(tr("Of a file…"), this, [this] {
    askForFile(tr("Masks to compare with"), tr("Mask schemes and configs (*.json);;All files (*)"),
               [](CompareSide& side, const QString& path) {
                 side.masks = SideMasks::Named;
                 side.scheme = path;
               });
  });
}

void SideChooser::addPicture(const QString& text, const QString& picture) {
  QAction* action = m_picture->menu()->addAction(inMenu(text), this, [this, picture] {
    CompareSide side = m_bridge->side();
    side.picture = picture;
    Q_EMIT chosen(side);
  });
  action->setCheckable(true);
  action->setChecked(picture == m_bridge->side().picture);
}

void SideChooser::fillPictures() {
  m_picture->menu()->clear();
  addPicture(tr("This picture"), {});
  m_picture->menu()->addSeparator();
  const int offered = m_offers.gallery ? std::min(m_offers.gallery->rowCount(), kMostPictures) : 0;
  for (int row = 0; row < offered; ++row) {
    const QString path = m_offers.gallery->pathAt(m_offers.gallery->index(row));
    addPicture(ImageBridge::nameOf(path), path);
  }
  m_picture->menu()->addSeparator();
  m_picture->menu()->addAction(tr("A file…"), this, [this] {
    askForFile(tr("Picture to compare with"), tr("All files (*)"),
               [](CompareSide& side, const QString& path) { side.picture = path; });
  });
}

void SideChooser::askForFile(const QString& title, const QString& filter,
                             const std::function<void(CompareSide&, const QString&)>& take) {
  FileQuestion question;
  question.title = title;
  question.start = documentsFolder();
  question.filter = filter;
  askForPath(window(), question, [this, take](const QString& path) {
    CompareSide side = m_bridge->side();
    take(side, path);
    Q_EMIT chosen(side);
  });
}

// ---- Dropped on it -----------------------------------------------------------------------------

/// Several files are the window's.
void SideChooser::dragEnterEvent(QDragEnterEvent* event) {
  event->setDropAction(Qt::CopyAction);
  event->setAccepted(event->mimeData()->urls().size() == 1);
}

void SideChooser::dropEvent(QDropEvent* event) {
  const QString path = event->mimeData()->urls().value(0).toLocalFile();
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  const FileContent content = contentOfFile(path.toStdString());
  if (content == FileContent::Checkpoint || content == FileContent::Json ||
      looksLikeHubFolder(path.toStdString()))
    return chooseModel(path);
  CompareSide side = m_bridge->side();
  side.picture = path;
  Q_EMIT chosen(side);
}

}  // namespace headlight
