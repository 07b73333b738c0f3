// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/PredictionPanel.h"

#include <QDir>
#include <QFileInfo>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "core/workbench/session/RawTensors.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/canvas/CaptionLayout.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

constexpr int kRows = 5;
constexpr double kPadding = 8;
constexpr double kWholeRow = 460;  ///< a row this wide has room for everything
constexpr double kNameShare = 0.52, kNameGap = 8, kBarGap = 10, kLeastBar = 24;

QString probabilityText(double probability) {
  const double value = probability * 100;
  if (value > 0 && value < 0.1) return QStringLiteral("<0.1 %");
  return QString::number(value, 'f', 1) + QStringLiteral(" %");
}

/// "+12.3", "−0.4": percentage points.
QString pointsText(double change) {
  const double points = change * 100;
  if (std::abs(points) < 0.05) return QStringLiteral("±0");
  return (points > 0 ? QStringLiteral("▲ ") : QStringLiteral("▼ ")) +
         QString::number(std::abs(points), 'f', 1);
}

/// "striped disc" of ":/samples/striped-disc.png" and of "striped_disc/0001.png".
QString plainName(QString name) {
  return name.replace(QLatin1Char('-'), QLatin1Char(' '))
      .replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// Whether the model has the classes of the built-in samples, like the demo.
bool knowsTextureShapes(const ModelInfo& model) {
  QStringList samples;
  for (const QFileInfo& file : QDir(QStringLiteral(":/samples")).entryInfoList(QDir::Files))
    samples << plainName(file.completeBaseName());
  return !model.classNames.empty() &&
         std::all_of(model.classNames.begin(), model.classNames.end(), [&](const auto& name) {
           return samples.contains(QString::fromStdString(name));
         });
}

/// A built-in sample, or one of make-dataset's, which lie in folders named by their classes.
bool isTextureShape(const ModelInfo& model, const QString& path) {
  if (path.startsWith(QStringLiteral(":/samples/"))) return true;
  const std::string folder = plainName(QFileInfo(path).dir().dirName()).toStdString();
  const auto& names = model.classNames;
  return std::find(names.begin(), names.end(), folder) != names.end();
}

QString noteOnPrompts(const ModelInfo& model) {
  return hasSigmoidScores(model.experiment.model)
             ? PredictionPanel::tr(
                   "Each prompt's probability is its own (sigmoid): they do not sum "
                   "to 100 %.")
             : PredictionPanel::tr("Probabilities are shares among the prompts (softmax).");
}

/// A CLIP as it comes: no classes, but numbers that mean nothing by themselves.
bool comparesWithTexts(const ModelInfo& model) {
  return model.textSide.takesPrompts() && model.classNames.empty() && model.prompts.empty() &&
         model.experiment.model.classes > 0;
}

QString noteOn(const Document& document) {
  if (const auto& recorded = document.recorded().view())
    return PredictionPanel::tr("%1; true class: “%2”.")
        .arg(recorded->source, displayName(recorded->label));
  if (!document.inputs().hasModel() || !document.inputs().hasImage()) return {};
  if (document.inputs().model().classNamesFrom == ClassNamesFrom::ImageNet)
    return PredictionPanel::tr("Class names: %1.")
        .arg(coreText(classNamesText(document.inputs().model())));
  if (!document.inputs().model().prompts.empty()) return noteOnPrompts(document.inputs().model());
  if (comparesWithTexts(document.inputs().model()))
    return PredictionPanel::tr(
        "These outputs are the embedding that is compared with texts, not classes. Model → Prompts "
        "gives it classes.");
  if (segmentsImages(document.inputs().model().experiment.model))
    return PredictionPanel::tr(
        "Each class's greatest score of all pixels, as shares of the sum of all classes.");
  if (detectsObjects(document.inputs().model().experiment.model) ||
      !knowsTextureShapes(document.inputs().model()) ||
      isTextureShape(document.inputs().model(), document.inputs().imagePath()))
    return {};
  return PredictionPanel::tr(
      "This model knows only the nine texture-shape classes; this image is not one of them.");
}

/// What a detector found, best first.
QString objectsNote(const InferenceResult& inference, double threshold) {
  QStringList found;
  for (const FoundObject& object : objectsAbove(inference.objects, threshold))
    found << displayName(object.name) + QLatin1Char(' ') + probabilityText(double{object.score});
  if (!found.isEmpty())
    return PredictionPanel::tr("Objects: %1").arg(found.join(QStringLiteral(", ")));
  const QString none =
      inference.sigmoid
          ? PredictionPanel::tr("No object: none of the %1 boxes scores at least %2.")
          : PredictionPanel::tr("No object: none of the %1 detection tokens scores at least %2.");
  return none.arg(inference.objects.size()).arg(probabilityText(threshold));
}

QString rankText(const PredictionRow& row) {
  if (row.rankBefore == row.rank) return {};
  return QStringLiteral("%1 → %2").arg(row.rankBefore).arg(row.rank);
}

}  // namespace

PredictionPanel::PredictionPanel(Document* document, QWidget* parent, const Document* left)
    : QWidget(parent), m_document(document), m_left(left) {
  setObjectName("predictionPanel");
  setAccessibleName(tr("Prediction"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &PredictionPanel::refresh);
  connect(document, &Document::inferenceChanged, this, &PredictionPanel::refresh);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &PredictionPanel::refresh);
  connect(&document->view(), &ViewState::changed, this, &PredictionPanel::refresh);
  connect(&document->reference(), &ReferenceState::changed, this, &PredictionPanel::refresh);
  if (left) {
    connect(&left->inputs(), &InferenceInputs::modelChanged, this, &PredictionPanel::refresh);
    connect(left, &Document::inferenceChanged, this, &PredictionPanel::refresh);
  }
  refresh();
}

QSize PredictionPanel::sizeHint() const {
  const int line = fontMetrics().height() + 5;
  // Six lines and the title: the height stays when an edit or a note adds a line.
  return {420, line * (kRows + 2) + static_cast<int>(kPadding)};
}

QSize PredictionPanel::minimumSizeHint() const {
  return {240, (fontMetrics().height() + 1) * (kRows + 2) + static_cast<int>(kPadding)};
}

void PredictionPanel::refresh() {
  const auto inference = m_document->inference();
  const auto before = lookBefore();
  m_compared = inference && before && before->logits.size() == inference->logits.size();
  m_rows.clear();
  if (inference) m_rows = predictionRows(*inference, before.get(), kRows);
  QStringList words;
  for (const PredictionRow& row : m_rows) {
    words << displayName(row.name) + QStringLiteral(" ") + probabilityText(row.probability);
    if (m_compared) words.last() += tr(", before %1").arg(probabilityText(row.probabilityBefore));
  }
  m_note = m_rows.empty() ? QString() : noteOn(*m_document);
  if (inference && m_document->inputs().hasModel() &&
      m_document->inputs().model().experiment.model.classes == 0)
    m_note = detectsObjects(m_document->inputs().model().experiment.model)
                 ? objectsNote(*inference, m_document->view().options().objectThreshold)
                 : tr("This model has no classifier. It computes features, not predictions.");
  if (m_left && inference && !m_left->inference()) {
    m_rows.clear();
    words.clear();
    m_note = tr("The left side has no prediction yet.");
  }
  if (m_left && inference && m_left->inference() && !m_compared && !m_document->recorded().view()) {
    m_rows.clear();
    words.clear();
    m_note = tr("The models have different classes, so their predictions cannot be compared.");
  }
  if (!m_note.isEmpty()) words.prepend(m_note);
  setToolTip(plainToolTip(tipText()));
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  update();
}

QString PredictionPanel::tipText() const {
  const QString about =
      tr("The five best classes, compared with the reference of the Masks menu: the masks before "
         "the last edit, no masks, or a pinned state. Each line shows the probability before (gray "
         "line) and now (bar), the change in percentage points, and the change of rank. Click a "
         "class to explain it.");
  return m_note.isEmpty() ? about : m_note + QLatin1Char('\n') + about;
}

std::shared_ptr<const InferenceResult> PredictionPanel::lookBefore() const {
  if (m_left) {
    const bool comparable = m_left->inputs().hasModel() && m_document->inputs().hasModel() &&
                            sameClasses(m_left->inputs().model(), m_document->inputs().model());
    return comparable ? m_left->inference() : nullptr;
  }
  const auto before = m_document->reference().inference();
  return before == m_document->inference() ? nullptr
                                           : before;  // the result of the edit is not there yet
}

void PredictionPanel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const double text = fontMetrics().height();
  const double lines =
      static_cast<double>(std::max<std::size_t>(m_rows.size(), kRows)) + (m_note.isEmpty() ? 1 : 2);
  const double line = std::clamp((height() - kPadding) / lines, text + 1, text + 5);
  QRectF row(kPadding, kPadding / 2, width() - 2 * kPadding, line);
  QColor quiet = palette().color(QPalette::WindowText);
  quiet.setAlphaF(0.7f);
  painter.setPen(quiet);
  if (m_compared) {
    QFont bold = font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.drawText(
        row, Qt::AlignLeft | Qt::AlignVCenter,
        m_left ? tr("left → right") : tr("%1 → now").arg(m_document->reference().describe()));
    painter.setFont(font());
  }
  row.translate(0, line);
  if (m_rows.empty() && m_note.isEmpty())
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, tr("No prediction yet."));
  if (!m_note.isEmpty()) {
    paintNote(painter, row, line);
    row.translate(0, line);
  }
  m_places.clear();
  const Columns wide = columns(row.width());
  for (const PredictionRow& entry : m_rows) {
    if (row.bottom() > height() + 1) break;  // no partial rows
    m_places.push_back(row);
    paintRow(painter, row, entry, wide);
    row.translate(0, line);
  }
}

/// In one line, or from the title's on, which is free where nothing is compared. The tip has all.
void PredictionPanel::paintNote(QPainter& painter, QRectF row, double line) const {
  const QStringList lines =
      layOutNote(QFontMetricsF(font()), m_note, row.width(), m_compared ? 1 : 2);
  row.translate(0, -line * static_cast<double>(lines.size() - 1));
  for (const QString& text : lines) {
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, text);
    row.translate(0, line);
  }
}

void PredictionPanel::mousePressEvent(QMouseEvent* event) {
  QWidget::mousePressEvent(event);
  for (std::size_t i = 0; i < m_places.size() && i < m_rows.size(); ++i)
    if (const int index = m_rows[i].index;
        m_places[i].contains(event->position()) && index >= 0 && event->button() == Qt::LeftButton)
      m_document->view().change([index](ViewOptions& view) { view.method.classIndex = index; });
}

bool PredictionPanel::isBrief(double width) const {
  return m_left && m_compared && width < kWholeRow;
}

/// The width of the columns behind the bar.
double PredictionPanel::numbersWidth(double width) const {
  const QFontMetricsF metrics(font());
  if (isBrief(width)) return metrics.horizontalAdvance(QStringLiteral("▲ 100.0 "));
  if (!m_compared) return metrics.horizontalAdvance(QStringLiteral("100.0 %  "));
  const double change = metrics.horizontalAdvance(QStringLiteral("100.0 % → 100.0 %  ▲ 100.0  "));
  if (width < kWholeRow) return change;  // names come before changes of rank
  return change + metrics.horizontalAdvance(QStringLiteral("1000 → 1000"));
}

/// Widths of rank and name; if there is no space for both, only the name is shown.
PredictionPanel::Columns PredictionPanel::columns(double width) const {
  const QFontMetricsF metrics(font());
  Columns columns{metrics.horizontalAdvance(QStringLiteral("10 ")), 0, 0};
  double longest = 0;
  for (const PredictionRow& row : m_rows) {
    columns.rank =
        std::max(columns.rank, metrics.horizontalAdvance(QString::number(row.rank) + ' '));
    longest = std::max(longest, metrics.horizontalAdvance(displayName(row.name)) + kNameGap);
  }
  const double rest = std::max(60.0, width - columns.rank - numbersWidth(width));
  columns.name = std::max(kNameShare * rest, longest);
  columns.bar = rest - columns.name - kBarGap;
  if (columns.bar < kLeastBar) columns = {columns.rank, rest - kBarGap, 0};
  return columns;
}

void PredictionPanel::paintRow(QPainter& painter, const QRectF& area, const PredictionRow& row,
                               const Columns& wide) {
  const QFontMetricsF metrics(font());
  painter.setPen(withAlpha(0.6f));
  painter.drawText(QRectF(area.left(), area.top(), wide.rank - 6, area.height()),
                   Qt::AlignRight | Qt::AlignVCenter, QString::number(row.rank));
  painter.setPen(palette().color(QPalette::WindowText));
  const double name = wide.name - kNameGap;
  painter.drawText(QRectF(area.left() + wide.rank, area.top(), name, area.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(displayName(row.name), Qt::ElideRight, name));
  const QRectF bar(area.left() + wide.rank + wide.name, area.top() + 4, wide.bar,
                   area.height() - 8);
  if (wide.bar > 0) paintBar(painter, bar, row);
  const double numbers = bar.right() + kBarGap;
  paintNumbers(painter, QRectF(numbers, area.top(), area.right() - numbers, area.height()), row,
               area.width());
}

QColor PredictionPanel::withAlpha(float alpha) const {
  QColor text = palette().color(QPalette::WindowText);
  text.setAlphaF(alpha);
  return text;
}

void PredictionPanel::paintBar(QPainter& painter, const QRectF& bar, const PredictionRow& row) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(withAlpha(0.08f));
  painter.drawRoundedRect(bar, 2, 2);
  painter.setBrush(palette().color(QPalette::Highlight));
  painter.drawRoundedRect(
      QRectF(bar.topLeft(), QSizeF(bar.width() * row.probability, bar.height())), 2, 2);
  if (!m_compared) return;
  const double at = bar.left() + bar.width() * row.probabilityBefore;
  painter.setPen(QPen(palette().color(QPalette::WindowText), 2));
  painter.drawLine(QPointF(at, bar.top() - 2), QPointF(at, bar.bottom() + 2));
}

void PredictionPanel::paintNumbers(QPainter& painter, const QRectF& area, const PredictionRow& row,
                                   double rowWidth) {
  const QFontMetricsF metrics(font());
  const QColor text = palette().color(QPalette::WindowText), quiet = withAlpha(0.6f);
  double x = area.left();
  // `room`: the longest text of the column.
  const auto column = [&](const char* room, Qt::Alignment side, const QString& words,
                          const QColor& color) {
    const double width = metrics.horizontalAdvance(QString::fromUtf8(room));
    painter.setPen(color);
    painter.drawText(QRectF(x, area.top(), width, area.height()), side | Qt::AlignVCenter, words);
    x += width;
  };
  const QString change = pointsText(row.probability - row.probabilityBefore);
  if (isBrief(rowWidth)) return column("▲ 100.0 ", Qt::AlignLeft, change, text);
  if (m_compared) {
    column("100.0 %", Qt::AlignRight, probabilityText(row.probabilityBefore), quiet);
    column(" → ", Qt::AlignHCenter, QStringLiteral("→"), quiet);
  }
  column("100.0 %", Qt::AlignRight, probabilityText(row.probability), text);
  if (!m_compared) return;
  column("  ", Qt::AlignLeft, {}, text);
  column("▲ 100.0 ", Qt::AlignLeft, change, text);
  if (rowWidth >= kWholeRow) column("1000 → 1000", Qt::AlignLeft, rankText(row), quiet);
}

}  // namespace headlight
