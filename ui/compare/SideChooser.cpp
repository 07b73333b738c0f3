// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/SideChooser.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMimeData>

#include "core/workbench/loading/Input.h"
#include "core/workbench/schemes/SchemeLibrary.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/CompareLoader.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/compare/ModelMenu.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

constexpr int kMostImages = 24;  ///< gallery images in the menu; others are opened by file
constexpr int kArrow = 22;       ///< width of a button's frame and arrow

QString displayFileName(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  return displayName(name.isEmpty() ? path : name);
}

/// Escapes mnemonics in names.
QString inMenu(QString text) {
  return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

QString masksText(const CompareSide& side, const Document& window) {
  switch (side.masks) {
    case SideMasks::Present:
      return SideChooser::tr("current");
    case SideMasks::Reference:
      return window.reference().masks() ? window.reference().describe()
                                        : SideChooser::tr("no edit yet");
    case SideMasks::Unmasked:
      return SideChooser::tr("none");
    case SideMasks::Own:
      return SideChooser::tr("the model's own");
    case SideMasks::Named:
      break;
  }
  return displayFileName(side.scheme);
}

/// Whether a menu entry is the current choice.
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
  setText(inMenu(fontMetrics().elidedText(fits ? m_choice : m_brief, Qt::ElideMiddle, room)));
}

void ChoiceButton::resizeEvent(QResizeEvent* event) {
  QToolButton::resizeEvent(event);
  shorten();
}

SideChooser::SideChooser(const QString& title, Document* window, CompareLoader* bridge,
                         const CompareSideOffers& offers, QWidget* parent)
    : QWidget(parent),
      m_window(window),
      m_bridge(bridge),
      m_reader(new BackgroundTask(this)),
      m_offers(offers) {
  setObjectName(QStringLiteral("compare.%1").arg(title));
  setAccessibleName(tr("Content of the %1 side").arg(title));
  setAcceptDrops(true);
  m_model = new ChoiceButton(objectName() + QStringLiteral(".model"), tr("Model"), this);
  m_masks = new ChoiceButton(objectName() + QStringLiteral(".masks"), tr("Masks"), this);
  m_image = new ChoiceButton(objectName() + QStringLiteral(".image"), tr("Image"), this);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  layout->addWidget(m_model, 5);  // names of weights are long
  layout->addWidget(m_masks, 4);
  layout->addWidget(m_image, 3);
  auto* models = new ModelMenu(m_model->menu(), window, offers.recent);
  connect(m_model->menu(), &QMenu::aboutToShow, models,
          [this, models] { models->fill(m_bridge->side().model); });
  connect(models, &ModelMenu::chosen, this, &SideChooser::chooseModel);
  connect(models, &ModelMenu::fileWanted, this, &SideChooser::askForModel);
  connect(m_masks->menu(), &QMenu::aboutToShow, this, &SideChooser::fillMasks);
  connect(m_image->menu(), &QMenu::aboutToShow, this, &SideChooser::fillImages);
  connect(&window->inputs(), &InferenceInputs::modelChanged, this, &SideChooser::readSide);
  connect(window, &Document::sourceNoteChanged, this, &SideChooser::readSide);
  connect(bridge, &CompareLoader::changed, this, &SideChooser::readSide);
  connect(&window->inputs(), &InferenceInputs::masksChanged, this, &SideChooser::readSide);
  connect(&window->reference(), &ReferenceState::changed, this, &SideChooser::readSide);
  readSide();
}

void SideChooser::readSide() {
  const CompareSide& side = m_bridge->side();
  m_model->setChoice(m_bridge->modelName());
  m_masks->setChoice(masksText(side, *m_window));
  if (side.image.isEmpty())
    m_image->setChoice(tr("this image"), tr("image"));
  else
    m_image->setChoice(ImageBridge::nameOf(side.image));
}

// ---- The menus ---------------------------------------------------------------------------------

/// The window's masks fit only the window's model; other models use their own.
void SideChooser::chooseModel(const QString& model) {
  CompareSide side = m_bridge->side();
  if (model == side.model) return;
  side.model = model;
  side.masks = model.isEmpty() ? SideMasks::Present : SideMasks::Own;
  Q_EMIT chosen(side);
}

void SideChooser::askForModel() {
  askForFile(tr("Model to compare with"),
             tr("Checkpoints and configs (*.safetensors *.pth *.json);;All files (*)"),
             [](CompareSide& side, const QString& path) {
               side.model = path;
               side.masks = SideMasks::Own;
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
  addMasks(tr("Current masks of the window"), SideMasks::Present);
  addMasks(tr("Reference of the Masks menu: %1").arg(m_window->reference().describe()),
           SideMasks::Reference);
  addMasks(tr("None"), SideMasks::Unmasked);
  addMasks(tr("The model's own masks"), SideMasks::Own);
  m_masks->menu()->addSeparator();
  for (const char* preset : {"sch1", "sch2", "sch3"})
    addMasks(QLatin1String(preset), SideMasks::Named, QLatin1String(preset));
  if (const auto names = SchemeLibrary(SchemeLibrary::defaultFolder()).names())
    for (const std::string& name : *names)
      addMasks(displayName(name), SideMasks::Named, QString::fromStdString(name));
  m_masks->menu()->addSeparator();
  m_masks->menu()->addAction(tr("From a file…"), this, [this] {
    askForFile(tr("Masks to compare with"), tr("Mask schemes and configs (*.json);;All files (*)"),
               [](CompareSide& side, const QString& path) {
                 side.masks = SideMasks::Named;
                 side.scheme = path;
               });
  });
}

void SideChooser::addImage(const QString& text, const QString& image) {
  QAction* action = m_image->menu()->addAction(inMenu(text), this, [this, image] {
    CompareSide side = m_bridge->side();
    side.image = image;
    Q_EMIT chosen(side);
  });
  action->setCheckable(true);
  action->setChecked(image == m_bridge->side().image);
}

void SideChooser::fillImages() {
  m_image->menu()->clear();
  addImage(tr("This image"), {});
  m_image->menu()->addSeparator();
  const int offered = m_offers.gallery ? std::min(m_offers.gallery->rowCount(), kMostImages) : 0;
  for (int row = 0; row < offered; ++row) {
    const QString path = m_offers.gallery->pathAt(m_offers.gallery->index(row));
    addImage(ImageBridge::nameOf(path), path);
  }
  m_image->menu()->addSeparator();
  m_image->menu()->addAction(tr("From a file…"), this, [this] {
    askForFile(tr("Image to compare with"), tr("All files (*)"),
               [](CompareSide& side, const QString& path) { side.image = path; });
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

// ---- Dropped files -----------------------------------------------------------------------------

/// Several files go to the window.
void SideChooser::dragEnterEvent(QDragEnterEvent* event) {
  event->setDropAction(Qt::CopyAction);
  event->setAccepted(event->mimeData()->urls().size() == 1);
}

void SideChooser::dropEvent(QDropEvent* event) {
  const QString path = event->mimeData()->urls().value(0).toLocalFile();
  if (path.isEmpty()) return;
  event->acceptProposedAction();
  m_reader->run<Input>(
      [path = path.toStdString()](std::stop_token) { return identifyOrGuess(path); },
      [this, path](const Input& input) {
        if (input.holdsTensors() || input.isJson() || input.kind == InputKind::HubFolder)
          return chooseModel(path);
        CompareSide side = m_bridge->side();
        side.image = path;
        Q_EMIT chosen(side);
      });
}

}  // namespace headlight
