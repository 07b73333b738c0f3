// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/ParameterField.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/forms/DeviceBox.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/NumberBox.h"

namespace headlight {

QString parameterTitle(const std::string& name) {
  static const QStringList acronyms{"mlp", "qkv", "als", "ema", "lr"};
  if (const auto dot = name.find('.'); dot != std::string::npos)  // an option of a mechanism
    return parameterTitle(name.substr(0, dot)) + QStringLiteral(": ") +
           parameterTitle(name.substr(dot + 1)).toLower();
  QStringList words = QString::fromStdString(name).split(QLatin1Char('_'), Qt::SkipEmptyParts);
  for (qsizetype i = 0; i < words.size(); ++i) {
    if (acronyms.contains(words[i]))
      words[i] = words[i].toUpper();
    else if (i == 0)
      words[i][0] = words[i][0].toUpper();
  }
  return coreText(words.join(QLatin1Char(' ')).toStdString());
}

ParameterField::ParameterField(const Parameter& parameter, const QString& path, QGridLayout* grid,
                               int row, QWidget* parent)
    : QObject(parent),
      m_parameter(parameter),
      m_path((path.isEmpty() ? QString() : path + QLatin1Char('.')).toStdString() + parameter.name),
      m_default(parameter.defaultValue),
      m_title(parameterTitle(parameter.name)) {
  m_label = new QLabel(m_title, parent);
  m_editor = makeEditor(parent);
  m_editor->setObjectName(QStringLiteral("field.") + name());
  m_editor->setAccessibleName(m_label->text());
  if (const auto* box = qobject_cast<QComboBox*>(m_editor); box && box->lineEdit())
    box->lineEdit()->setAccessibleName(m_label->text());
  m_editor->setAccessibleDescription(help());
  m_label->setBuddy(m_editor);
  refreshTip();
  m_reset = new QToolButton(parent);
  m_reset->setObjectName(QStringLiteral("reset.") + name());
  m_reset->setAutoRaise(true);
  m_reset->setIcon(lineIcon(QStringLiteral("undo")));
  m_reset->setAccessibleName(tr("Reset %1 to its default").arg(m_label->text()));
  m_error = new MessageLabel(parent);
  m_error->setObjectName(QStringLiteral("error.") + name());
  place(grid, row);
  connect(m_reset, &QToolButton::clicked, this, [this] {
    setValue(m_default);
    Q_EMIT changed();
  });
  setValue(m_default);
}

void ParameterField::place(QGridLayout* grid, int row) {
  grid->addWidget(m_label, row, 0);
  grid->addWidget(m_editor, row, 1);
  grid->addWidget(m_reset, row, 2);
  grid->addWidget(m_error, row + 1, 1, 1, 2);
}

void ParameterField::moveTo(QGridLayout* grid, int row, const QString& title) {
  m_title = title;
  m_editor->setAccessibleName(title);
  place(grid, row);
  refresh();
}

QString ParameterField::help() const {
  QString text = coreText(m_parameter.help);
  text += tr("\n%1: %2; default %3")
              .arg(QString::fromStdString(m_path), coreText(m_parameter.typeText()), defaultText());
  return text;
}

QString ParameterField::defaultText() const {
  const auto* box = qobject_cast<const NumberBox*>(m_editor);
  const QString word = box ? box->wordFor(m_default) : QString();
  return word.isEmpty() ? QString::fromStdString(m_default.dump()) : word;
}

QWidget* ParameterField::makeEditor(QWidget* parent) {
  const auto touched = [this] {
    if (m_setting) return;
    m_outerError.clear();
    refresh();
    Q_EMIT changed();
  };
  switch (m_parameter.type) {
    case ParameterType::Bool: {
      auto* box = new QCheckBox(parent);
      connect(box, &QCheckBox::toggled, this, touched);
      return box;
    }
    case ParameterType::Integer:
    case ParameterType::Number: {
      auto* box = new NumberBox(m_parameter, parent);
      connect(box, &NumberBox::changed, this, touched);
      return box;
    }
    case ParameterType::Choice: {
      auto* box = new QComboBox(parent);
      for (const auto& choice : m_parameter.choices)
        box->addItem(QString::fromStdString(choice));
      box->setFocusPolicy(Qt::StrongFocus);
      connect(box, &QComboBox::currentIndexChanged, this, touched);
      return box;
    }
    case ParameterType::Text:
      if (m_parameter.name == "device") {
        auto* box = makeDeviceBox(parent);
        connect(box, &QComboBox::editTextChanged, this, touched);
        return box;
      }
      break;
    case ParameterType::NumberList:
    case ParameterType::IntegerList:
      break;
  }
  auto* line = new QLineEdit(parent);
  if (m_parameter.type == ParameterType::NumberList)
    line->setPlaceholderText(tr("%1 numbers, separated by commas").arg(m_parameter.listLength));
  if (m_parameter.type == ParameterType::IntegerList)
    line->setPlaceholderText(tr("whole numbers, separated by commas"));
  connect(line, &QLineEdit::textChanged, this, touched);
  return line;
}

void ParameterField::setValue(const Json& value) {
  m_setting = true;
  if (auto* box = qobject_cast<QCheckBox*>(m_editor)) {
    box->setChecked(value.is_boolean() && value.get<bool>());
  } else if (auto* box = qobject_cast<NumberBox*>(m_editor)) {
    box->setValue(value);
  } else if (auto* box = qobject_cast<QComboBox*>(m_editor)) {
    // A choice that is not offered is shown all the same, with its error.
    const QString text = numberText(value);
    if (box->isEditable()) box->setEditText(text);
    int index = box->findText(text);
    if (index < 0 && !box->isEditable()) {
      box->addItem(text);
      index = box->count() - 1;
    }
    if (index >= 0) box->setCurrentIndex(index);
  } else if (auto* line = qobject_cast<QLineEdit*>(m_editor)) {
    QStringList items;
    if (value.is_array())
      for (const auto& item : value)
        items << numberText(item);
    line->setText(value.is_array() ? items.join(QStringLiteral(", ")) : numberText(value));
  }
  m_setting = false;
  m_outerError.clear();
  refresh();
}

Json ParameterField::value() const {
  if (const auto* box = qobject_cast<QCheckBox*>(m_editor)) return box->isChecked();
  if (const auto* box = qobject_cast<NumberBox*>(m_editor)) return box->value();
  if (const auto* box = qobject_cast<QComboBox*>(m_editor)) return box->currentText().toStdString();
  const QString text = qobject_cast<QLineEdit*>(m_editor)->text();
  if (m_parameter.type == ParameterType::Text) return text.toStdString();
  Json list = Json::array();
  const bool whole = m_parameter.type == ParameterType::IntegerList;
  for (const QString& item : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    bool isNumber = false;
    const double number = item.trimmed().toDouble(&isNumber);
    if (!isNumber) return text.toStdString();
    if (whole && number == std::floor(number) && std::abs(number) < 1e9)
      list.push_back(static_cast<int>(number));
    else
      list.push_back(number);
  }
  return list;
}

void ParameterField::setDefault(const Json& value) {
  m_default = value;
  refreshTip();
  refresh();
}

void ParameterField::setMinimumText(const QString& text) {
  auto* box = qobject_cast<NumberBox*>(m_editor);
  if (!box) return;
  box->setMinimumText(text);
  m_editor->setAccessibleDescription(help());
  refreshTip();
  refresh();
}

void ParameterField::refreshTip() {
  const bool tells = m_readOnly && !m_whyReadOnly.isEmpty();
  const QString tip = tells ? m_whyReadOnly + QLatin1Char('\n') + help() : help();
  for (QWidget* widget : {static_cast<QWidget*>(m_label), m_editor})
    widget->setToolTip(tip);
}

bool ParameterField::isDefault() const {
  return value() == m_default;
}

QString ParameterField::error() const {
  const auto checked = checkParameter(m_parameter, value(), m_path);
  return checked ? m_outerError : QString::fromStdString(checked.error().message);
}

void ParameterField::setOuterError(const QString& text) {
  m_outerError = text;
  refresh();
}

void ParameterField::setReadOnly(bool readOnly, const QString& why) {
  m_readOnly = readOnly;
  m_whyReadOnly = why;
  m_editor->setEnabled(!readOnly);
  refreshTip();
  refresh();
}

void ParameterField::setVisible(bool visible) {
  m_visible = visible;
  m_label->setVisible(visible);
  m_editor->setVisible(visible);
  refresh();
}

void ParameterField::refresh() {
  const bool differs = !isDefault();
  // Markup, not a font: a style sheet's change would reset that.
  m_label->setTextFormat(differs ? Qt::RichText : Qt::PlainText);
  m_label->setText(differs ? QStringLiteral("<b>%1</b>").arg(m_title.toHtmlEscaped()) : m_title);
  m_reset->setToolTip(tr("Reset to the default, %1").arg(defaultText()));
  // Hidden beside a visible editor it keeps its room, so that nothing jumps.
  QSizePolicy policy = m_reset->sizePolicy();
  policy.setRetainSizeWhenHidden(m_visible);
  m_reset->setSizePolicy(policy);
  m_reset->setEnabled(differs && !m_readOnly);
  m_reset->setVisible(m_visible && differs && !m_readOnly);
  m_error->setMessage(m_visible ? error() : QString(), MessageLabel::Tone::Problem);
}

}  // namespace headlight
