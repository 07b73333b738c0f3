// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/RegionDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/files/Files.h"
#include "core/masks/MaskRegions.h"
#include "core/workbench/schemes/MaskPng.h"
#include "ui/masks/PatchPainter.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"

namespace headlight {
namespace {

constexpr int kMostRegionWindow = 9999, kMostDilation = 999;
constexpr std::uintmax_t kMostPngBytes = 64u << 20;

QSpinBox* regionNumber(QWidget* parent, const char* name, const QString& title, const QString& tip,
                       int most) {
  auto* box = new QSpinBox(parent);
  box->setObjectName(QString::fromLatin1(name));
  box->setAccessibleName(title);
  box->setToolTip(tip);
  box->setRange(1, most);
  return box;
}

QString globalText(const std::vector<GlobalPatch>& patches) {
  QStringList words;
  for (const GlobalPatch& patch : patches)
    words << QStringLiteral("%1.%2").arg(patch.row).arg(patch.col);
  return words.join(QLatin1Char(' '));
}

/// The mask that the fields spell, so that the same errors are said as of a config.
Result<HeadMask> spelledMask(HeadMask mask, const QString& global) {
  mask.region.global.clear();
  std::string text = toText(mask);
  const auto end = text.find_first_of("@#~");
  std::string added;
  for (const QString& word : global.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    added += "+" + word.toStdString();
  return headMaskFromText(text.insert(std::min(end, text.size()), added));
}

}  // namespace

RegionDialog::RegionDialog(const HeadMask& mask, const RegionPlace& place, QWidget* parent)
    : QDialog(parent), m_mask(mask), m_grid(place.grid), m_pixelsPerPatch(place.pixelsPerPatch) {
  setObjectName(QStringLiteral("regionDialog"));
  setWindowTitle(tr("Region of masks"));
  m_grid.prefix = m_grid.registers = 0;
  if (m_mask.kind == MaskKind::None || m_mask.kind == MaskKind::Random ||
      m_mask.kind == MaskKind::Decay)
    m_mask.kind = MaskKind::Hard;
  if (m_mask.region.drawn) m_drawn = *m_mask.region.drawn;
  auto* subject = new QLabel(place.whose, this);
  subject->setTextFormat(Qt::PlainText);
  m_problem = new QLabel(this);
  m_problem->setObjectName(QStringLiteral("regionProblem"));
  m_problem->setTextFormat(Qt::PlainText);
  m_problem->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(subject);
  layout->addWidget(makeFields());
  layout->addWidget(makeDrawing(), 1);
  layout->addLayout(makeFiles());
  layout->addWidget(m_problem);
  makeButtons();
  display();
}

/// Last, so that Tab reaches them last and the dialog opens with its first field.
void RegionDialog::makeButtons() {
  m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &RegionDialog::reject);
  layout()->addWidget(m_buttons);
}

void RegionDialog::reject() {
  if (!m_painted) return QDialog::reject();
  dialogs().confirm(this, tr("Discard the drawing?"),
                    tr("What was painted is lost. OK applies it; Export PNG… saves it."),
                    tr("Discard"), [this](bool yes) {
                      if (yes) QDialog::reject();
                    });
}

QWidget* RegionDialog::makeFields() {
  auto* fields = new QWidget(this);
  auto* form = new QFormLayout(fields);
  form->setContentsMargins(0, 0, 0, 0);
  m_shape = new QComboBox(fields);
  m_shape->setObjectName(QStringLiteral("regionShape"));
  m_shape->setAccessibleName(tr("Shape of the region"));
  m_shape->addItems({tr("Square around the patch"), tr("NATTEN's neighborhood"), tr("Drawn")});
  m_window =
      regionNumber(fields, "regionWindow", tr("Width of the window"), QString(), kMostRegionWindow);
  m_pixels = new QCheckBox(tr("in &pixels of the image"), fields);
  m_pixels->setObjectName(QStringLiteral("regionPixels"));
  m_dilation = regionNumber(fields, "regionDilation", tr("Dilation"), QString(), kMostDilation);
  m_stride = regionNumber(fields, "regionStride", tr("Stride"), QString(), kMostRegionWindow);
  m_global = new QLineEdit(fields);
  m_global->setObjectName(QStringLiteral("regionGlobal"));
  m_global->setAccessibleName(tr("Global patches"));
  m_global->setToolTip(
      tr("Patches that see all and are seen by all, as row.column: 0.0 6.6. Prefix tokens are "
         "global anyway"));
  auto* width = new QHBoxLayout;
  width->addWidget(m_window);
  width->addWidget(m_pixels, 1);
  auto* windowLabel = new QLabel(tr("&Window"), fields);
  windowLabel->setBuddy(m_window);
  form->addRow(tr("&Shape"), m_shape);
  form->addRow(windowLabel, width);
  form->addRow(tr("&Dilation"), m_dilation);
  form->addRow(tr("S&tride"), m_stride);
  form->addRow(tr("&Global patches"), m_global);
  connect(m_shape, &QComboBox::currentIndexChanged, this, &RegionDialog::read);
  for (QSpinBox* box : {m_window, m_dilation, m_stride})
    connect(box, &QSpinBox::valueChanged, this, &RegionDialog::read);
  connect(m_pixels, &QCheckBox::toggled, this, &RegionDialog::read);
  connect(m_global, &QLineEdit::textChanged, this, &RegionDialog::read);
  return fields;
}

QWidget* RegionDialog::makeDrawing() {
  m_drawing = new QWidget(this);
  auto* layout = new QVBoxLayout(m_drawing);
  layout->setContentsMargins(0, 0, 0, 0);
  m_form = new QComboBox(m_drawing);
  m_form->setObjectName(QStringLiteral("regionForm"));
  m_form->setAccessibleName(tr("What is drawn"));
  m_form->addItems({tr("Around every patch"), tr("The same keys for every patch"),
                    tr("The keys of each patch")});
  m_query = new QSpinBox(m_drawing);
  m_query->setObjectName(QStringLiteral("regionQuery"));
  m_query->setAccessibleName(tr("Patch whose keys are drawn"));
  m_query->setPrefix(tr("of patch "));
  m_query->setRange(0, std::max(0, m_grid.patches() - 1));
  m_painter = new PatchPainter(m_drawing);
  auto* row = new QHBoxLayout;
  row->addWidget(m_form, 1);
  row->addWidget(m_query);
  layout->addLayout(row);
  layout->addWidget(m_painter, 1);
  connect(m_form, &QComboBox::currentIndexChanged, this, &RegionDialog::setForm);
  connect(m_query, &QSpinBox::valueChanged, this, &RegionDialog::displayDrawing);
  connect(m_painter, &PatchPainter::painted, this, &RegionDialog::readDrawing);
  return m_drawing;
}

QLayout* RegionDialog::makeFiles() {
  auto* read = new QPushButton(tr("&Import PNG…"), this);
  read->setObjectName(QStringLiteral("regionImport"));
  read->setToolTip(
      tr("White selects. Pairs of patches, the layer's patches, or odd sides with the "
         "query in the middle"));
  auto* write = new QPushButton(tr("&Export PNG…"), this);
  write->setObjectName(QStringLiteral("regionExport"));
  write->setToolTip(tr("The drawing; of another shape, all pairs of patches"));
  connect(read, &QPushButton::clicked, this, [this] {
    FileQuestion question;
    question.title = tr("Import a mask");
    question.filter = tr("PNG images (*.png);;All files (*)");
    askForPath(this, question, [this](const QString& path) { importPng(path); });
  });
  connect(write, &QPushButton::clicked, this, [this] {
    askWhereToSave(this, tr("Export the mask"), QStringLiteral("mask.png"),
                   tr("PNG images (*.png)"), [this](const QString& path) { exportPng(path); });
  });
  auto* files = new QHBoxLayout;
  files->addWidget(read);
  files->addWidget(write);
  files->addStretch(1);
  return files;
}

void RegionDialog::display() {
  m_displaying = true;
  const MaskRegion& region = m_mask.region;
  m_shape->setCurrentIndex(static_cast<int>(region.kind));
  m_window->setValue(m_mask.window);
  m_pixels->setChecked(region.inPixels);
  m_dilation->setValue(region.dilation);
  m_stride->setValue(region.stride);
  m_global->setText(globalText(region.global));
  if (m_drawn.ones.empty()) m_drawn = DrawnMask{DrawnForm::Offsets, 5, 5, {}};
  m_drawn.ones.resize(static_cast<std::size_t>(m_drawn.rows) * m_drawn.cols);
  m_form->setCurrentIndex(static_cast<int>(m_drawn.form));
  m_displaying = false;
  displayDrawing();
  refresh();
}

void RegionDialog::displayDrawing() {
  const bool pairs = m_drawn.form == DrawnForm::Pairs;
  m_query->setVisible(pairs);
  if (!pairs) {
    const int middle = m_drawn.rows / 2 * m_drawn.cols + m_drawn.cols / 2;
    m_painter->setPatches(m_drawn.rows, m_drawn.cols, m_drawn.ones,
                          m_drawn.form == DrawnForm::Offsets ? middle : -1);
    return;
  }
  // A drawing for another size is seen in its refusal alone.
  if (!drawsLayersPairs()) return m_painter->setPatches(m_grid.rows, m_grid.cols, {}, -1);
  const auto first = m_drawn.ones.begin() + std::ptrdiff_t{m_query->value()} * m_drawn.cols;
  m_painter->setPatches(m_grid.rows, m_grid.cols, {first, first + m_drawn.cols}, m_query->value());
}

bool RegionDialog::drawsLayersPairs() const {
  return m_drawn.form == DrawnForm::Pairs && m_drawn.rows == m_grid.patches() &&
         m_drawn.cols == m_grid.patches();
}

void RegionDialog::setForm(int form) {
  if (m_displaying) return;
  const auto wanted = static_cast<DrawnForm>(form);
  if (m_drawn.form == wanted) return;
  const int patches = m_grid.patches();
  m_drawn = wanted == DrawnForm::Offsets ? DrawnMask{wanted, 5, 5, {}}
            : wanted == DrawnForm::Keys  ? DrawnMask{wanted, m_grid.rows, m_grid.cols, {}}
                                         : DrawnMask{wanted, patches, patches, {}};
  m_drawn.ones.resize(static_cast<std::size_t>(m_drawn.rows) * m_drawn.cols);
  displayDrawing();
  read();
}

void RegionDialog::readDrawing() {
  m_painted = true;
  const auto& painted = m_painter->ones();
  if (m_drawn.form != DrawnForm::Pairs) {
    m_drawn.ones = painted;
  } else if (drawsLayersPairs()) {
    std::copy(painted.begin(), painted.end(),
              m_drawn.ones.begin() + std::ptrdiff_t{m_query->value()} * m_drawn.cols);
  }
  read();
}

void RegionDialog::read() {
  if (m_displaying) return;
  MaskRegion region;
  region.kind = static_cast<RegionKind>(m_shape->currentIndex());
  if (region.kind == RegionKind::Drawn) {
    region.drawn = std::make_shared<const DrawnMask>(m_drawn);
  } else {
    m_mask.window = m_window->value();
    region.inPixels = m_pixels->isChecked();
  }
  if (region.kind == RegionKind::Natten) {
    region.dilation = m_dilation->value();
    region.stride = m_stride->value();
  }
  m_mask.region = region;
  refresh();
}

void RegionDialog::enableFields(RegionKind kind) {
  const QString drawn =
      kind == RegionKind::Drawn ? tr("A drawing has no window: paint the patches") : QString();
  const QString other = kind == RegionKind::Natten
                            ? QString()
                            : tr("Only NATTEN's neighborhood has a dilation and a stride");
  setUsable(m_window, tr("Width of the window: an odd number of patches, or pixels"), drawn);
  setUsable(m_pixels,
            tr("The window covers so many pixels in every layer: fewer patches where a layer's "
               "stride is larger"),
            drawn);
  setUsable(m_dilation,
            tr("Every so many patches belong to the neighborhood, which stays as many patches"),
            other);
  setUsable(m_stride, tr("So many neighboring queries share one window"), other);
}

void RegionDialog::refresh() {
  const RegionKind kind = m_mask.region.kind;
  enableFields(kind);
  m_drawing->setVisible(kind == RegionKind::Drawn);
  const auto spelled = spelledMask(m_mask, m_global->text());
  if (!spelled) return reportProblem(QString::fromStdString(spelled.error().message));
  m_mask = *spelled;
  const auto fits = checkRegion(inPatches(m_mask, m_pixelsPerPatch), m_grid, m_grid);
  reportProblem(fits ? QString() : QString::fromStdString(fits.error().message));
}

void RegionDialog::reportProblem(const QString& text) {
  m_problem->setText(text);
  m_problem->setVisible(!text.isEmpty());
  m_buttons->button(QDialogButtonBox::Ok)->setEnabled(text.isEmpty());
}

void RegionDialog::importPng(const QString& path) {
  const auto bytes = readFile(path.toStdString(), kMostPngBytes);
  auto drawn =
      bytes ? drawnFromPng(*bytes, path.toStdString(), m_grid) : Result<DrawnMask>(bytes.error());
  if (!drawn)
    return dialogs().error(this, tr("The mask was not imported"),
                           QString::fromStdString(drawn.error().text()));
  m_drawn = std::move(*drawn);
  m_painted = false;
  m_mask.region = {};
  m_mask.region.kind = RegionKind::Drawn;
  m_mask.region.drawn = std::make_shared<const DrawnMask>(m_drawn);
  display();
}

void RegionDialog::exportPng(const QString& path) {
  const auto drawn = drawnFromMask(inPatches(m_mask, m_pixelsPerPatch), m_grid);
  const auto bytes = drawn ? drawnToPng(*drawn) : Result<std::string>(drawn.error());
  const auto written =
      bytes ? writeFileAtomically(path.toStdString(), *bytes) : Result<void>(bytes.error());
  if (!written)
    return dialogs().error(this, tr("The mask was not exported"),
                           QString::fromStdString(written.error().text()));
  m_painted = false;
}

}  // namespace headlight
