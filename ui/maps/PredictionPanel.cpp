#include "ui/maps/PredictionPanel.h"

#include <QDir>
#include <QFileInfo>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/base/ShownText.h"

namespace headlight {
namespace {

constexpr int kRows = 5;
constexpr double kPadding = 8;

std::vector<double> probabilitiesOf(const std::vector<float>& logits) {
  std::vector<double> values(logits.begin(), logits.end());
  if (values.empty()) return values;
  const double most = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values)
    sum += value = std::exp(value - most);
  for (double& value : values)
    value /= sum;
  return values;
}

/// Rank of every class, from 1; ties by index.
std::vector<int> ranksOf(const std::vector<float>& logits) {
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return logits[a] > logits[b]; });
  std::vector<int> ranks(logits.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    ranks[order[i]] = static_cast<int>(i) + 1;
  return ranks;
}

QString percent(double probability) {
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

/// Whether a model's classes are those of the built-in samples, as the demo's are.
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

QString noteOn(const Document& document) {
  if (!document.hasModel() || !document.hasImage()) return {};
  if (!knowsTextureShapes(document.model()) ||
      isTextureShape(document.model(), document.imagePath()))
    return {};
  return PredictionPanel::tr("This demo knows nine texture-shapes; this picture is none.");
}

QString rankText(const PredictionRow& row) {
  if (row.rankBefore == row.rank) return {};
  return QStringLiteral("%1 → %2").arg(row.rankBefore).arg(row.rank);
}

}  // namespace

std::vector<PredictionRow> predictionRows(const Look& after, const Look* before, int rows) {
  const std::vector<double> now = probabilitiesOf(after.logits);
  const std::vector<int> rank = ranksOf(after.logits);
  std::vector<double> then;
  std::vector<int> rankThen;
  if (before && before->logits.size() == after.logits.size()) {
    then = probabilitiesOf(before->logits);
    rankThen = ranksOf(before->logits);
  }
  std::vector<PredictionRow> all;
  const auto add = [&](const ClassScore& score) {
    const auto index = static_cast<std::size_t>(score.index);
    if (score.index < 0 || index >= now.size()) return;
    PredictionRow row;
    row.name = shownName(score.name);
    row.rank = rank[index];
    row.probability = now[index];
    if (!then.empty()) {
      row.rankBefore = rankThen[index];
      row.probabilityBefore = then[index];
    }
    all.push_back(row);
  };
  for (const ClassScore& score : after.top) {
    if (static_cast<int>(all.size()) == rows) break;
    add(score);
  }
  if (!then.empty() && !before->top.empty()) {
    const int best = before->top.front().index;
    const auto shown = std::min<std::size_t>(after.top.size(), static_cast<std::size_t>(rows));
    if (std::none_of(after.top.begin(), after.top.begin() + static_cast<std::ptrdiff_t>(shown),
                     [best](const ClassScore& score) { return score.index == best; }))
      add(before->top.front());
  }
  return all;
}

PredictionPanel::PredictionPanel(Document* document, QWidget* parent)
    : QWidget(parent), m_document(document) {
  setObjectName("predictionPanel");
  setAccessibleName(tr("Prediction"));
  setToolTip(
      tr("The five best classes, compared with the masks before the last edit, with none, or with "
         "a pinned state (Masks menu): the probability then (grey line) and now (bar), the change "
         "in percentage points, and of rank."));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  for (const auto signal : {&Document::modelChanged, &Document::lookChanged,
                            &Document::masksChanged, &Document::referenceChanged})
    connect(document, signal, this, &PredictionPanel::refresh);
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
  const auto look = m_document->look();
  auto before = m_document->referenceLook();
  if (before == look) before.reset();  // the edit's own look is still on its way
  m_compared = look && before && before->logits.size() == look->logits.size();
  m_rows.clear();
  if (look) m_rows = predictionRows(*look, before.get(), kRows);
  QStringList words;
  for (const PredictionRow& row : m_rows) {
    words << row.name + QStringLiteral(" ") + percent(row.probability);
    if (m_compared) words.last() += tr(", before %1").arg(percent(row.probabilityBefore));
  }
  m_note = m_rows.empty() ? QString() : noteOn(*m_document);
  if (!m_note.isEmpty()) words.prepend(m_note);
  setAccessibleDescription(words.join(QStringLiteral("; ")));
  update();
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
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                     tr("%1 → now").arg(m_document->describeReference()));
    painter.setFont(font());
  }
  row.translate(0, line);
  if (m_rows.empty())
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, tr("Nothing looked at yet."));
  if (!m_note.isEmpty()) {
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_note, Qt::ElideRight, qRound(row.width())));
    row.translate(0, line);
  }
  for (const PredictionRow& entry : m_rows) {
    paintRow(painter, row, entry);
    row.translate(0, line);
  }
}

void PredictionPanel::paintRow(QPainter& painter, const QRectF& area, const PredictionRow& row) {
  const QFontMetricsF metrics(font());
  const double rankWidth = metrics.horizontalAdvance(QStringLiteral("1000 "));
  const double number = metrics.horizontalAdvance(QStringLiteral("100.0 %  "));
  const double change =
      m_compared ? metrics.horizontalAdvance(QStringLiteral("100.0 % → 100.0 %  ▲ 100.0  ")) +
                       metrics.horizontalAdvance(QStringLiteral("1000 → 1000"))
                 : number;
  const double rest = std::max(60.0, area.width() - rankWidth - change);
  const double nameWidth = rest * 0.52;
  const QColor text = palette().color(QPalette::WindowText);
  QColor quiet = text;
  quiet.setAlphaF(0.6f);

  painter.setPen(quiet);
  painter.drawText(QRectF(area.left(), area.top(), rankWidth - 6, area.height()),
                   Qt::AlignRight | Qt::AlignVCenter, QString::number(row.rank));
  painter.setPen(text);
  painter.drawText(QRectF(area.left() + rankWidth, area.top(), nameWidth - 8, area.height()),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.elidedText(row.name, Qt::ElideRight, nameWidth - 8));

  const QRectF bar(area.left() + rankWidth + nameWidth, area.top() + 4, rest - nameWidth - 10,
                   area.height() - 8);
  QColor ground = text;
  ground.setAlphaF(0.08f);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(bar, 2, 2);
  painter.setBrush(palette().color(QPalette::Highlight));
  painter.drawRoundedRect(
      QRectF(bar.topLeft(), QSizeF(bar.width() * row.probability, bar.height())), 2, 2);
  double x = bar.right() + 10;
  const auto column = [&](double width, Qt::Alignment side, const QString& words,
                          const QColor& color) {
    painter.setPen(color);
    painter.drawText(QRectF(x, area.top(), width, area.height()), side | Qt::AlignVCenter, words);
    x += width;
  };
  if (m_compared) {
    const double at = bar.left() + bar.width() * row.probabilityBefore;
    painter.setPen(QPen(text, 2));
    painter.drawLine(QPointF(at, bar.top() - 2), QPointF(at, bar.bottom() + 2));
    column(metrics.horizontalAdvance(QStringLiteral("100.0 %")), Qt::AlignRight,
           percent(row.probabilityBefore), quiet);
    column(metrics.horizontalAdvance(QStringLiteral(" → ")), Qt::AlignHCenter, QStringLiteral("→"),
           quiet);
  }
  column(metrics.horizontalAdvance(QStringLiteral("100.0 %")), Qt::AlignRight,
         percent(row.probability), text);
  if (!m_compared) return;
  x += metrics.horizontalAdvance(QStringLiteral("  "));
  column(metrics.horizontalAdvance(QStringLiteral("▲ 100.0 ")), Qt::AlignLeft,
         pointsText(row.probability - row.probabilityBefore), text);
  column(metrics.horizontalAdvance(QStringLiteral("1000 → 1000")), Qt::AlignLeft, rankText(row),
         quiet);
}

}  // namespace headlight
