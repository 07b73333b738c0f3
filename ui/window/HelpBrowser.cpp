// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/HelpBrowser.h"

#include <QDesktopServices>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBlock>
#include <QTextTable>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/base/Actions.h"
#include "ui/widgets/IconButton.h"

namespace headlight {
namespace {

constexpr const char* kShortcuts = "shortcuts";
/// Keys that are no commands: PlotNavigation takes them.
constexpr const char* kPlotKeys = R"(

## Plots of the training

While a plot has the focus (`Tab` goes there, a frame shows it):

| Keys | What they do |
|---|---|
| `Left`, `Right` | Read the values at the sample before or after; where samples are many, further along |
| `Up`, `Down` | Read the plot beside, or in the map of heads the layer above or below |
| `+`, `-` | Zoom along the steps, about what is being read |
| `0` or `Home` | Show every step again |
| `Esc` | End the reading |)";

struct Page {
  const char* name;
  const char* title;
};
constexpr Page kPages[] = {
    {"index", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "What Headlight is")},
    {"first-steps", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "First steps")},
    {"window", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "The window")},
    {"explanations", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Explanations")},
    {"figures", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Figures for papers")},
    {"video", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Video")},
    {"masks", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Masks")},
    {"search", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Searching for a scheme")},
    {"mechanisms", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Mechanisms and backbones")},
    {"angular-kernel", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "The angular kernel")},
    {"models", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Models on this computer")},
    {"maps", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Maps from anywhere")},
    {"python", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Maps from Python")},
    {"data", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Datasets")},
    {"adapting", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Your own classes")},
    {"training", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Training")},
    {"evolution", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Evolution")},
    {"recipes", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Recipes")},
    {"cluster", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "On a cluster")},
    {"distillation", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Distillation")},
    {"sequences", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Sequence models")},
    {"comparing", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Comparing variants")},
    {"interventions", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Interventions")},
    {"papers", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "The papers, table by table")},
    {"speed", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Speed")},
    {"installing", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Installing")},
    {"command-line", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "The command line")},
    {"files", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Files")},
    {"detection", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Detection")},
    {"segmentation", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Segmentation")},
    {"pretraining", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Pre-training")},
    {"terms", QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Terms")},
    {kShortcuts, QT_TRANSLATE_NOOP("headlight::HelpBrowser", "Keyboard shortcuts")},
};

QString readPage(const QString& page) {
  QFile file(QStringLiteral(":/help/%1.md").arg(page));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Qt sets Markdown tightly: room in the cells of tables, above headings and between lines.
void letInAir(QTextDocument* document) {
  // As one edit, or each of them would lay out the page anew.
  QTextCursor all(document);
  all.beginEditBlock();
  for (auto frame = document->rootFrame()->begin(); !frame.atEnd(); ++frame) {
    auto* table = qobject_cast<QTextTable*>(frame.currentFrame());
    if (!table) continue;
    QTextTableFormat format = table->format();
    format.setCellPadding(4);
    format.setCellSpacing(0);
    format.setBorderCollapse(true);
    format.setTopMargin(6);
    format.setBottomMargin(10);
    table->setFormat(format);
  }
  for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() < 2) continue;
    QTextBlockFormat format = block.blockFormat();
    format.setTopMargin(18);
    format.setBottomMargin(6);
    QTextCursor(block).setBlockFormat(format);
  }
  all.endEditBlock();
}

/// As GitHub names headings: small letters, spaces as hyphens, nothing else.
QString headingAnchor(const QString& heading) {
  QString anchor;
  for (const QChar letter : heading.toLower()) {
    if (letter.isLetterOrNumber() || letter == QLatin1Char('-')) anchor += letter;
    if (letter.isSpace()) anchor += QLatin1Char('-');
  }
  return anchor;
}

}  // namespace

QString shortcutsPage(const Actions& actions) {
  return QStringLiteral(
             "# Keyboard shortcuts\n\n"
             "Every command has a shortcut, a place in a menu and an entry in the command palette "
             "(`Ctrl+Shift+P`). Press two keys with a comma one after the other. Single keys work "
             "wherever the focus is, except in text that is being typed; `Esc` and `Enter` leave a "
             "field. Keys that nothing else takes go to the image: arrows move the token, `1` is "
             "100 %, `Esc` frees a pinned token. The mask matrix has its own keys, listed in "
             "[Masks](masks.md#keys-in-the-matrix).\n\n") +
         actions.shortcutTable().trimmed() + QString::fromUtf8(kPlotKeys) +
         QStringLiteral("\n\n[Back to the start](index.md)\n");
}

HelpText::HelpText(const Actions* actions, QWidget* parent)
    : QTextBrowser(parent), m_actions(actions) {
  setOpenLinks(true);
  setOpenExternalLinks(true);
}

QVariant HelpText::loadResource(int type, const QUrl& name) {
  if (!name.path().endsWith(QStringLiteral(".md"))) return QTextBrowser::loadResource(type, name);
  return renderHtml(loadMarkdown(QFileInfo(name.path()).completeBaseName()));
}

QString HelpText::loadMarkdown(const QString& page) const {
  return page == QLatin1String(kShortcuts) ? shortcutsPage(*m_actions) : readPage(page);
}

bool HelpText::pageHas(const QString& page, const QString& text) const {
  QTextDocument document;
  document.setMarkdown(loadMarkdown(page));
  return !document.find(text).isNull();
}

/// Markdown that is read into a document on the screen is laid out anew for every cell of a table,
/// which takes seconds; HTML is laid out once.
QString HelpText::renderHtml(const QString& markdown) const {
  QTextDocument document;
  document.setDefaultFont(font());
  document.setMarkdown(markdown);
  return document.toHtml();
}

void HelpText::doSetSource(const QUrl& name, QTextDocument::ResourceType) {
  QTextBrowser::doSetSource(name, QTextDocument::HtmlResource);
}

void HelpText::showHeading(const QString& anchor) {
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || headingAnchor(block.text()) != anchor) continue;
    // From the end upwards, so that the heading comes to stand at the top.
    moveCursor(QTextCursor::End);
    setTextCursor(QTextCursor(block));
    ensureCursorVisible();
    return;
  }
}

HelpBrowser::HelpBrowser(const Actions* actions, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("helpBrowser"));
  setWindowTitle(tr("Headlight help"));
  setAccessibleName(windowTitle());
  resize(900, 640);

  m_contents = new QListWidget(this);
  m_contents->setObjectName(QStringLiteral("helpContents"));
  m_contents->setAccessibleName(tr("Help pages"));
  m_contents->setToolTip(tr("Help pages"));
  m_contents->setSpacing(3);
  for (const Page& page : kPages)
    m_contents->addItem(tr(page.title));
  connect(m_contents, &QListWidget::currentRowChanged, this,
          [this](int row) { showPage(pages().value(row)); });

  m_text = new HelpText(actions, this);
  m_text->setObjectName(QStringLiteral("helpText"));
  m_text->setAccessibleName(tr("Help text"));
  m_text->document()->setDocumentMargin(18);
  connect(m_text, &QTextBrowser::sourceChanged, this, &HelpBrowser::onSourceChanged);

  auto* back = iconToolButton(this, QStringLiteral("helpBack"), QStringLiteral("back"), tr("Back"));
  auto* forward =
      iconToolButton(this, QStringLiteral("helpForward"), QStringLiteral("forward"), tr("Forward"));
  auto* home =
      iconToolButton(this, QStringLiteral("helpHome"), QStringLiteral("home"), tr("Start page"));
  connect(back, &QToolButton::clicked, m_text, &QTextBrowser::backward);
  connect(forward, &QToolButton::clicked, m_text, &QTextBrowser::forward);
  connect(home, &QToolButton::clicked, this, [this] { showPage(QStringLiteral("index")); });
  back->setEnabled(false);
  forward->setEnabled(false);
  connect(m_text, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
  connect(m_text, &QTextBrowser::forwardAvailable, forward, &QWidget::setEnabled);

  m_search = new QLineEdit(this);
  m_search->setObjectName(QStringLiteral("helpSearch"));
  m_search->setPlaceholderText(tr("Search all pages"));
  m_search->setClearButtonEnabled(true);
  m_search->setAccessibleName(tr("Search the help"));
  m_search->setToolTip(tr("Enter goes to the next match in all pages"));
  connect(m_search, &QLineEdit::returnPressed, this, [this] { search(m_search->text()); });

  auto* tools = new QHBoxLayout;
  tools->addWidget(back);
  tools->addWidget(forward);
  tools->addWidget(home);
  tools->addStretch(1);
  tools->addWidget(m_search, 1);
  auto* splitter = new QSplitter(this);
  splitter->addWidget(m_contents);
  splitter->addWidget(m_text);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({190, 710});
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(tools);
  layout->addWidget(splitter, 1);
  showPage(QStringLiteral("index"));
}

QStringList HelpBrowser::pages() {
  QStringList names;
  for (const Page& page : kPages)
    names << QLatin1String(page.name);
  return names;
}

QString HelpBrowser::page() const {
  return QFileInfo(m_text->source().path()).completeBaseName();
}

void HelpBrowser::showPage(const QString& asked) {
  const QString name =  // state files may have the page's former name
      asked == QStringLiteral("ways-of-looking") ? QStringLiteral("explanations") : asked;
  if (!pages().contains(name) || name == page()) return;
  m_text->setSource(QUrl(QStringLiteral("qrc:/help/%1.md").arg(name)));
}

void HelpBrowser::onSourceChanged(const QUrl& source) {
  // The browser's own source() is still the page before.
  const QSignalBlocker blocker(m_contents);
  const QString name = QFileInfo(source.path()).completeBaseName();
  m_contents->setCurrentRow(static_cast<int>(pages().indexOf(name)));
  letInAir(m_text->document());
  if (source.hasFragment()) m_text->showHeading(source.fragment());
}

void HelpBrowser::search(const QString& text) {
  if (text.isEmpty() || m_text->find(text)) return;
  // Not again on this page: the next page that has it, all the way round to this one's start.
  const QStringList names = pages();
  const int now = static_cast<int>(names.indexOf(page()));
  for (int i = 1; i <= names.size(); ++i) {
    const QString& name = names[(now + i) % names.size()];
    if (!m_text->pageHas(name, text)) continue;  // nothing is laid out for it
    showPage(name);
    m_text->moveCursor(QTextCursor::Start);
    if (m_text->find(text)) return;
  }
}

}  // namespace headlight
