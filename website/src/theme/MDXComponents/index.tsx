/**
 * What Markdown in pages becomes: the theme's headings and links, and this site's own components. Every page carries them;
 * what few pages show (tabs, the parts of the API reference) is imported where it is used.
 */
import Head from "@docusaurus/Head";
import { Aside } from "@site/src/components/aside.tsx";
import { Card, CardGrid } from "@site/src/components/cards.tsx";
import { CodeFence } from "@site/src/components/code-fence.tsx";
import { Constant } from "@site/src/components/constant.tsx";
import { Diagram } from "@site/src/components/diagram.tsx";
import { Picture } from "@site/src/components/picture.tsx";
import { HeadCell, ScrollTable, TaskBox } from "@site/src/components/scroll-table.tsx";
import { StaticTable } from "@site/src/components/static-table.tsx";
import { StaticText } from "@site/src/components/static-text.tsx";
import { Steps } from "@site/src/components/steps.tsx";
import { Version } from "@site/src/components/version.tsx";
import Admonition from "@theme/Admonition";
import MDXA from "@theme/MDXComponents/A";
import MDXDetails from "@theme/MDXComponents/Details";
import MDXHeading from "@theme/MDXComponents/Heading";
import MDXImg from "@theme/MDXComponents/Img";
import MDXLi from "@theme/MDXComponents/Li";
import MDXUl from "@theme/MDXComponents/Ul";
import type { ComponentProps } from "react";

type HeadingProps = Omit<ComponentProps<typeof MDXHeading>, "as">;

export default {
  Head,
  details: MDXDetails,
  Details: MDXDetails,
  a: MDXA,
  ul: MDXUl,
  li: MDXLi,
  img: MDXImg,
  table: ScrollTable,
  th: HeadCell,
  input: TaskBox,
  h1: (props: HeadingProps) => <MDXHeading as="h1" {...props} />,
  h2: (props: HeadingProps) => <MDXHeading as="h2" {...props} />,
  h3: (props: HeadingProps) => <MDXHeading as="h3" {...props} />,
  h4: (props: HeadingProps) => <MDXHeading as="h4" {...props} />,
  h5: (props: HeadingProps) => <MDXHeading as="h5" {...props} />,
  h6: (props: HeadingProps) => <MDXHeading as="h6" {...props} />,
  admonition: Admonition,
  Aside,
  Card,
  CardGrid,
  CodeFence,
  Constant,
  Diagram,
  Picture,
  StaticTable,
  StaticText,
  Steps,
  Version,
};
