// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/MaskPanel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "core/workbench/schemes/MaskPng.h"
#include "core/workbench/session/MaskSight.h"
#include "core/workbench/training/TrainingSession.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/MaskText.h"
#include "ui/masks/BrushEditor.h"
#include "ui/masks/HeadSelectDialog.h"
#include "ui/masks/MaskMatrix.h"
#include "ui/masks/RegionDialog.h"
#include "ui/masks/SchemeFiles.h"
#include "ui/masks/SchemesDialog.h"
#include "ui/masks/SelectionFields.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/ElidedLabel.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

/// Heads in the layers that can be masked.
int headCount(const MaskScheme& scheme) {
  int count = 0;
  for (int l = 0; l < scheme.maskableLayers(); ++l)
    count += scheme.heads(l);
  return count;
}

QToolButton* buttonFor(QAction* action, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setDefaultAction(action);
  button->setAutoRaise(true);
  button->setObjectName(action->objectName() + QStringLiteral(".button"));
  return button;
}

}  // namespace

MaskPanel::MaskPanel(Document* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_brush(new BrushEditor(this)),
      m_matrix(new MaskMatrix(document, this)),
      m_files(new SchemeFiles(document, this)) {
  setObjectName(QStringLiteral("maskPanel"));
  setAccessibleName(tr("Masks"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(6);
  layout->addWidget(makeToolRow());
  layout->addWidget(m_brush);
  m_notice = new MessageLabel(this);
  m_notice->setObjectName(QStringLiteral("maskNotice"));
  layout->addWidget(m_notice);
  layout->addWidget(m_matrix, 1);
  m_status = new QLabel(this);
  m_status->setObjectName(QStringLiteral("maskStatus"));
  m_status->setWordWrap(true);
  layout->addWidget(m_status);

  connect(m_brush, &BrushEditor::brushEdited, m_matrix, &MaskMatrix::setBrush);
  connect(m_brush, &BrushEditor::regionWanted, this, &MaskPanel::chooseRegion);
  connect(m_matrix, &MaskMatrix::brushChanged, m_brush, &BrushEditor::setBrush);
  connect(m_matrix, &MaskMatrix::selectionChanged, this, &MaskPanel::refreshStatus);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &MaskPanel::refresh);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &MaskPanel::refresh);
  connect(document, &Document::inferenceChanged, this, &MaskPanel::refreshStatus);
  connect(&document->recorded(), &RecordedStep::changed, this, &MaskPanel::refreshStatus);
  connect(&document->view(), &ViewState::changed, this,
          [this] { m_paint->setChecked(m_matrix->paintsOnClick()); });
  m_brush->setBrush(m_matrix->brush());
  new SelectionFields(document, m_brush, m_matrix, this);
  refresh();
}

// --- Commands ----------------------------------------------------------------------------------

QAction* MaskPanel::addCommand(const CommandWords& words, const std::function<void()>& run) {
  QAction* action = makeCommand(this, words, run);
  action->setStatusTip(words.tip);
  m_commands.append(action);
  m_needMaskable.append(action);
  return action;
}

QMenu* MaskPanel::makeSchemeMenu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  menu->setToolTipsVisible(true);
  menu->setObjectName(QStringLiteral("presetMenu"));
  int number = 0;  // Ctrl+K, 0 takes all masks away
  for (const std::string& name : maskPresetNames()) {
    const QString preset = QString::fromStdString(name);
    const QString help = coreText(maskPresetHelp(name));
    QAction* action = addCommand({QStringLiteral("masks.preset.") + preset,
                                  tr("Mask scheme %1").arg(preset),
                                  help,
                                  QStringLiteral("Ctrl+K, %1").arg(number++),
                                  {}},
                                 [this, preset] { applyPreset(preset); });
    // In the menu the name comes first and its sentence follows.
    QAction* entry = menu->addAction(tr("%1   %2").arg(preset, help), action, &QAction::trigger);
    entry->setToolTip(help);
  }
  menu->addSeparator();
  menu->addAction(addCommand({"masks.resetAlpha",
                              tr("Reset learned α"),
                              tr("Reset soft masks of the selected heads, or of all heads, to "
                                 "their initial α; undo restores the learned values"),
                              "Ctrl+K, A",
                              {}},
                             [this] { m_matrix->resetAlphas(); }));
  menu->addAction(
      addCommand({"masks.selectByValue",
                  tr("Select heads by value…"),
                  tr("Select by the head metric that is shown: locality, entropy, importance"),
                  "Ctrl+K, V",
                  {}},
                 [this] { chooseByValue(); }));
  menu->addAction(
      addCommand({"masks.region",
                  tr("Region of masks…"),
                  tr("Neighborhoods with dilation and stride, global patches, windows in pixels, "
                     "masks drawn here or in a PNG"),
                  "Ctrl+K, G",
                  {}},
                 [this] { chooseRegion(); }));
  menu->addSeparator();
  menu->addAction(addCommand({"masks.schemes",
                              tr("Schemes…"),
                              tr("Use, save, rename, delete, import and compare schemes by name"),
                              "Ctrl+K, N",
                              {}},
                             [this] {
                               const SchemeLibrary shelf(SchemeLibrary::defaultFolder());
                               dialogs().show(new SchemesDialog(m_document, shelf, window()), {});
                             }));
  menu->addAction(addCommand({"masks.load",
                              tr("Load mask scheme…"),
                              tr("Read masks from a scheme or a config (JSON)"),
                              "Ctrl+K, O",
                              {}},
                             [this] { m_files->chooseToLoad(); }));
  m_save = addCommand({"masks.save",
                       tr("Save mask scheme…"),
                       tr("Write the masks as JSON, for --masks and for configs"),
                       "Ctrl+K, S",
                       {}},
                      [this] { m_files->chooseToSave(); });
  menu->addAction(m_save);
  m_needMaskable.removeOne(m_save);  // what is there can be saved, also where nothing can be masked
  return menu;
}

void MaskPanel::makeUndoCommands() {
  m_undo = m_document->inputs().undoStack()->createUndoAction(this, tr("Undo"));
  m_redo = m_document->inputs().undoStack()->createRedoAction(this, tr("Redo"));
  m_undo->setObjectName(QStringLiteral("edit.undo"));
  m_undo->setToolTip(tr("Undo the last mask edit"));
  m_undo->setShortcut(QKeySequence(QStringLiteral("Ctrl+Z")));
  m_undo->setIcon(lineIcon(QStringLiteral("undo")));
  m_redo->setObjectName(QStringLiteral("edit.redo"));
  m_redo->setToolTip(tr("Redo the mask edit that was undone"));
  m_redo->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+Z")));
  m_redo->setIcon(lineIcon(QStringLiteral("redo")));
}

void MaskPanel::makeFocusCommand() {
  m_focus = makeCommand(this,
                        {"masks.focus",
                         tr("&Edit masks by keyboard"),
                         tr("Move the keyboard focus to the mask matrix"),
                         "Ctrl+K, M",
                         {}},
                        [this] {
                          Q_EMIT neededInView();
                          m_matrix->setFocus(Qt::ShortcutFocusReason);
                        });
  m_commands.append(m_focus);
}

void MaskPanel::makePaintCommand() {
  m_paint = makeCommand(this,
                        {"masks.paintOnClick",
                         tr("&Paint with clicks"),
                         tr("A click in the matrix paints with the brush (B); off: it selects the "
                            "head and shows it in the image. A drag always paints"),
                         "Ctrl+K, R",
                         {}},
                        [this] { m_matrix->setPaintsOnClick(!m_matrix->paintsOnClick()); });
  m_paint->setCheckable(true);
  m_paint->setIconText(tr("Paint"));
  m_commands.append(m_paint);
}

QWidget* MaskPanel::makeToolRow() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  m_name = new ElidedLabel(row);
  m_name->setObjectName(QStringLiteral("schemeName"));
  m_name->setToolTip(
      tr("The mask scheme; a star marks a scheme that differs from the published one: edited, or "
         "with the window and α in brackets"));
  m_name->setTextFormat(Qt::PlainText);
  QFont bold = font();
  bold.setBold(true);
  m_name->setFont(bold);
  layout->addWidget(m_name, 1);

  auto* presets = new QToolButton(row);
  presets->setObjectName(QStringLiteral("presetButton"));
  presets->setText(tr("Schemes"));
  presets->setToolTip(tr("The paper's mask schemes as published; load and save"));
  presets->setMenu(makeSchemeMenu(row));
  presets->setPopupMode(QToolButton::InstantPopup);
  presets->setFocusPolicy(Qt::StrongFocus);
  layout->addWidget(presets);

  makePaintCommand();
  auto* paint = buttonFor(m_paint, row);
  paint->setToolButtonStyle(Qt::ToolButtonTextOnly);
  layout->addWidget(paint);

  makeUndoCommands();
  makeFocusCommand();
  for (QAction* action : {m_undo, m_redo}) {
    auto* button = buttonFor(action, row);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    layout->addWidget(button);
  }
  return row;
}

// --- The document ------------------------------------------------------------------------------

void MaskPanel::refresh() {
  const bool open = m_document->inputs().hasModel();
  m_name->setText(open ? displayName(schemeTitle(m_document->inputs().masks())) : tr("no model"));
  const MaskScheme& scheme = m_document->inputs().masks();
  const bool maskable = open && scheme.maskableLayers() > 0;
  for (QAction* action : m_needMaskable)
    action->setEnabled(maskable);
  m_save->setEnabled(open);
  m_focus->setEnabled(open);
  m_paint->setEnabled(maskable);
  m_brush->setEnabled(!open || maskable);
  m_notice->setMessage(
      open && !maskable
          ? tr("No head of this model can be masked: %1.").arg(whyNotMaskableText(scheme))
          : QString());
  if (open) {
    const Grid& grid = m_document->inputs().model().grid;
    m_brush->setLargestWindow(std::max(3, 2 * std::max(grid.rows, grid.cols) - 1));
  }
  refreshStatus();
}

void MaskPanel::refreshStatus() {
  if (!m_document->inputs().hasModel()) return m_status->clear();
  const MaskScheme& scheme = m_document->recorded().shownMasks();
  QString text = scheme.maskableLayers() == 0
                     ? tr("no head can be masked")
                     : tr("%1 of %2 heads masked").arg(scheme.maskedHeads()).arg(headCount(scheme));
  const auto selected = m_matrix->selection();
  if (selected.size() == 1) {
    const auto [layer, head] = selected.front();
    const bool maskable = layer < scheme.maskableLayers();
    text += tr(" · layer %1, head %2").arg(layer).arg(head);
    if (maskable)
      text += tr(": %1").arg(maskText(scheme.at(layer, head)));
    else if (scheme.maskableLayers() > 0)
      text += tr(": %1").arg(whyNotMaskableText(scheme));
    if (const auto locality = m_document->numbers().locality(layer, head))
      text += tr(", ALS %1").arg(*locality, 0, 'f', 2);
  } else if (!selected.empty()) {
    text += tr(" · %1 selected").arg(cellsText(scheme, selected));
  }
  text += noEffectText(selected);
  if (const auto& recorded = m_document->recorded().point())
    text = tr("ALS and α as recorded at training step %1 · ").arg(recorded->step) + text;
  m_status->setText(text);
}

/// Where no mask of the selected heads can change the prediction.
QString MaskPanel::noEffectText(const std::vector<HeadPlace>& heads) const {
  std::string why;
  for (const HeadPlace& head : heads) {
    why = whyNoMaskEffect(m_document->inputs().model().experiment.model, head.layer);
    if (why.empty() || head.layer >= m_document->inputs().masks().maskableLayers()) return {};
  }
  return why.empty() ? QString() : tr(" · no effect here: %1").arg(coreText(why));
}

void MaskPanel::chooseByValue() {
  auto* dialog = new HeadSelectDialog(*m_document, window());
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    Q_EMIT neededInView();
    m_matrix->select(dialog->heads());
    m_matrix->setFocus();
  });
}

/// Of the selected heads and, for those to come, the brush.
void MaskPanel::chooseRegion() {
  if (!m_document->inputs().hasModel()) return;
  const MaskScheme& scheme = m_document->inputs().masks();
  const auto cells = m_matrix->edits().keepMaskable(m_matrix->selection());
  const bool selected = !cells.empty() && !m_matrix->paintsOnClick();
  const int layer = cells.empty() ? 0 : cells.front().layer;
  const HeadMask& first = selected ? scheme.at(layer, cells.front().head) : m_matrix->brush();
  const QString whose = selected ? cellsText(scheme, cells) : tr("the brush");
  const ModelConfig& model = m_document->inputs().model().experiment.model;
  auto* dialog = new RegionDialog(
      first, {maskGrid(model, layer), model.pixelsPerPatch(layer), whose}, window());
  dialogs().show(dialog, [this, dialog, selected, cells](int result) {
    if (result != QDialog::Accepted) return;
    m_matrix->setBrush(dialog->mask());
    // Another model may have been opened meanwhile.
    const auto present = m_matrix->edits().keepMaskable(cells);
    if (selected && !present.empty()) m_matrix->edits().setRegion(present, dialog->mask());
  });
}

void MaskPanel::applyPreset(const QString& name) {
  if (!m_document->inputs().hasModel()) return;
  auto scheme = makeMaskPreset(name.toStdString(), m_document->inputs().masks().shape());
  if (!scheme)
    return Q_EMIT m_document->failed(tr("Mask scheme"),
                                     QString::fromStdString(scheme.error().text()));
  auto edit =
      makeMaskEdit(m_document->inputs().masks(), *scheme, tr("scheme %1").arg(name).toStdString());
  if (!edit) return;
  if (edit->empty()) Q_EMIT m_document->message(tr("The masks already match %1.").arg(name));
  m_document->inputs().pushEdit(*edit);
}

void MaskPanel::loadScheme(const QString& path) {
  m_files->load(path);
}

void MaskPanel::saveScheme(const QString& path) {
  m_files->save(path);
}

}  // namespace headlight
