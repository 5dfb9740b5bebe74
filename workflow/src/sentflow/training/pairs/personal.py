"""Personal numbers and addresses in texts, masked: CPF, e-mail, telephone.

What a pattern can tell for sure is masked; names of persons are not. A CPF without its dots must have right check
digits (Receita Federal, módulo 11), so that numbers of laws and proceedings stay; a telephone number must have an area
code in brackets, a country code, or a word before it that says so.
"""

import re
from collections import Counter

_CPF = re.compile(r"(?<![\d.\-/])(?:\d{3}\.\d{3}\.\d{3}-\d{2}|\d{9}-?\d{2})(?![\d.\-/]*\d)")
# A run of characters is looked at once, whether an address ends it (group 1) or not
_EMAIL = re.compile(r"[\w.+%-]++(@[\w-]+(?:\.[\w-]+)+)?")
_TELEPHONE = re.compile(
    r"(?:\+?55\s*)?\(\s*0?\d{2}\s*\)\s*9?\d{4}[-. ]?\d{4}(?!\d)"
    r"|\+55\s*\d{2}\s*9?\d{4}[-. ]?\d{4}(?!\d)"
    r"|(?i:(?<=tel: )|(?<=tel\. )|(?<=telefone )|(?<=telefone: )|(?<=fone: )|(?<=fax: )|(?<=celular )|(?<=whatsapp ))"
    r"(?:0?\d{2}\s*)?9?\d{4}[-. ]?\d{4}(?!\d)"
)
_CPF_DIGITS = 11
CPF, EMAIL, TELEPHONE = MASKS = "[CPF]", "[E-MAIL]", "[TELEFONE]"


def masked(text: str, counts: Counter[str]) -> str:
    """The text with a mask in the place of every personal number and address, which are counted by their mask."""
    n = sum(found[1] is not None for found in _EMAIL.finditer(text)) if "@" in text else 0
    counts[EMAIL] += n
    text = _EMAIL.sub(lambda found: EMAIL if found[1] else found[0], text) if n else text
    if not any(map(str.isdigit, text)):
        return text
    text, n = _TELEPHONE.subn(TELEPHONE, text)
    counts[TELEPHONE] += n

    def mask(found: re.Match[str]) -> str:
        if "." not in found[0] and not has_check_digits(found[0]):
            return found[0]
        counts[CPF] += 1
        return CPF

    return _CPF.sub(mask, text)


def has_check_digits(number: str) -> bool:
    """Whether the last two of eleven digits are the check digits of a CPF."""
    digits = [int(one) for one in number if one.isdigit()]
    if len(digits) != _CPF_DIGITS or len(set(digits)) == 1:
        return False
    return all(
        digits[place]
        == sum(digit * (place + 1 - at) for at, digit in enumerate(digits[:place])) * 10 % 11 % 10
        for place in (9, 10)
    )
